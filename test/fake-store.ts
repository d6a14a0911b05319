import type { Store, StoredBytes } from "../src/caches/store.ts";

/** A store in memory whose entries a test may inspect, age and corrupt. */
export interface FakeStore extends Store {
  readonly held: Map<string, StoredBytes>;
}

export const fakeStore = (now: () => Date): FakeStore => {
  const held = new Map<string, StoredBytes>();
  let noted: Uint8Array | undefined;
  const amountOf = (kept: readonly StoredBytes[]) => ({
    entries: kept.length,
    bytes: kept.reduce((sum, { bytes }) => sum + bytes.byteLength, 0),
  });
  return {
    held,
    notes: {
      read: async () => noted,
      async write(bytes) {
        noted = bytes;
      },
    },
    async get(name) {
      return held.get(name);
    },
    async put(name, bytes) {
      held.set(name, { bytes, usedAt: now() });
    },
    async touch(name) {
      const kept = held.get(name);
      if (kept) held.set(name, { ...kept, usedAt: now() });
    },
    async remove(prefix) {
      const names = [...held.keys()].filter((name) => name.startsWith(prefix));
      for (const name of names) held.delete(name);
      return names.length;
    },
    async sweep({ before }) {
      const old = [...held].filter(([, { usedAt }]) => before && usedAt < before);
      for (const [name] of old) held.delete(name);
      return amountOf(old.map(([, kept]) => kept));
    },
    async stats(_, prefix = "") {
      return amountOf([...held].flatMap(([name, kept]) => (name.startsWith(prefix) ? [kept] : [])));
    },
    async close() {},
  };
};

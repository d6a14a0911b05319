import { randomUUID } from "node:crypto";
import type { RedisClient } from "../clients/redis.ts";
import { untilAborted } from "../core/abort.ts";
import { fail } from "../core/errors.ts";
import type { Amount } from "./cache.ts";
import {
  count,
  forget,
  note,
  release,
  removeEvictedRecords,
  touch,
  trim,
} from "./redis-scripts.ts";
import type { Bounds, Store, StoreContext } from "./store.ts";

/** Maximum number of entries that one script removes, to keep it short. */
const batch = 500;
/** Maximum number of entries evicted for one that is put. */
const atPut = 100;

/** A store in Redis under keys that begin with `prefix`; closing it closes the connection. */
export const redisStore = (
  client: RedisClient,
  prefix: string,
  { ttlMs, bounds, now = () => new Date() }: StoreContext,
): Store => {
  const used = `${prefix}used`;
  const held = `${prefix}bytes`;
  const entryKey = (name: string): string => `${prefix}entry:${name}`;
  const groupKey = (group: string): string => `${prefix}of:${group}`;
  // With the script's text each time, since a restarted server has forgotten it.
  const run = (script: string, ...values: readonly (string | number)[]): Promise<unknown> =>
    client.eval(script, 2, used, held, prefix, ...values);

  const trimmed = async (
    before: Date | undefined,
    { bytes, entries }: Bounds,
    signal: AbortSignal,
  ): Promise<Amount> =>
    repeated(signal, () => run(trim, before?.getTime() ?? "", bytes, entries, batch));

  const expired = (signal: AbortSignal): Promise<Amount> =>
    ttlMs === 0
      ? Promise.resolve(nothing)
      : trimmed(new Date(now().getTime() - ttlMs), { bytes: 0, entries: 0 }, signal);

  /** All names of a set or hash, some at a time; one may be returned twice. */
  const names = (kind: "used" | "of", group: string, signal: AbortSignal) =>
    scanned(signal, async (cursor) => {
      const [next, found] =
        kind === "used"
          ? await client.zscan(used, cursor, "COUNT", batch)
          : await client.hscan(groupKey(group), cursor, "COUNT", batch);
      const parts = found.filter((_, n) => n % 2 === 0);
      return [next, kind === "used" ? parts : parts.map((part) => `${group}/${part}`)];
    });

  /** The names of entries with a prefix, some at a time; one may be returned twice. */
  async function* beginning(
    prefixed: string,
    signal: AbortSignal,
  ): AsyncGenerator<readonly string[]> {
    const [group, part] = partsOf(prefixed);
    if (part !== "") {
      yield [prefixed];
      return;
    }
    const isGroup = group === "info" || group.startsWith("image/");
    for await (const found of isGroup ? names("of", group, signal) : names("used", "", signal))
      yield found.filter((name) => name.startsWith(prefixed));
  }

  const counted = async (prefixed: string, signal: AbortSignal): Promise<Amount> => {
    const seen = new Set<string>();
    const sum = { entries: 0, bytes: 0 };
    for await (const found of beginning(prefixed, signal)) {
      const fresh = [...new Set(found)].filter((name) => !seen.has(name));
      for (const name of fresh) seen.add(name);
      const { entries, bytes } = amountOf(await untilAborted(signal, () => run(count, ...fresh)));
      sum.entries += entries;
      sum.bytes += bytes;
    }
    return sum;
  };

  const forgotten = async (found: readonly string[], signal: AbortSignal): Promise<number> => {
    let gone = 0;
    for (let at = 0; at < found.length; at += batch) {
      const some = found.slice(at, at + batch);
      gone += amountOf(await untilAborted(signal, () => run(forget, ...some))).entries;
    }
    return gone;
  };

  return {
    notes: {
      read: async (signal) =>
        (await untilAborted(signal, () => client.getBuffer(`${prefix}notes`))) ?? undefined,
      async write(bytes, signal) {
        await untilAborted(signal, () => client.set(`${prefix}notes`, Buffer.from(bytes)));
      },
    },

    async get(name, signal) {
      const [group, part] = partsOf(name);
      const [at, isCounted, bytes] = await untilAborted(signal, () =>
        outcomes(
          client
            .pipeline()
            .zscore(used, name)
            .hexists(groupKey(group), part)
            .getBuffer(entryKey(name)),
        ),
      );
      // An entry in no list could not be removed by its image.
      if (typeof at !== "string" || isCounted !== 1 || !(bytes instanceof Uint8Array))
        return undefined;
      return { bytes, usedAt: new Date(Number(at)) };
    },

    async put(name, bytes, signal) {
      const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const at = now().getTime();
      const before = ttlMs > 0 ? at - ttlMs : "";
      await untilAborted(signal, () => {
        const all = client.multi().eval(note, 2, used, held, prefix, name, value.byteLength, at);
        if (ttlMs > 0) all.set(entryKey(name), value, "PX", ttlMs);
        else all.set(entryKey(name), value);
        all.eval(trim, 2, used, held, prefix, before, bounds.bytes, bounds.entries, atPut);
        return outcomes(all);
      });
    },

    async touch(name, signal) {
      await untilAborted(signal, () => run(touch, name, now().getTime(), ttlMs));
    },

    async remove(prefixed, signal) {
      let gone = 0;
      for await (const found of beginning(prefixed, signal)) gone += await forgotten(found, signal);
      return gone;
    },

    async sweep({ before, bounds: max }, signal) {
      let { entries, bytes } = await trimmed(before, max, signal);
      for await (const found of names("used", "", signal)) {
        const mended = amountOf(
          await untilAborted(signal, () => run(removeEvictedRecords, ...found)),
        );
        entries += mended.entries;
        bytes += mended.bytes;
      }
      return { entries, bytes };
    },

    async stats(signal, prefixed = "") {
      await expired(signal);
      if (prefixed !== "") return counted(prefixed, signal);
      const [entries, bytes] = await untilAborted(signal, () =>
        outcomes(client.pipeline().zcard(used).get(held)),
      );
      return { entries: Number(entries), bytes: Number(bytes ?? 0) };
    },

    async lock(name, ms, signal) {
      const key = `${prefix}lock:${name}`;
      const token = randomUUID();
      const taken = await untilAborted(signal, () =>
        client.set(key, token, "PX", Math.max(1, Math.ceil(ms)), "NX"),
      );
      if (taken === null) return undefined;
      return async () => {
        await client.eval(release, 1, key, token);
      };
    },

    async close() {
      client.disconnect();
    },
  };
};

const nothing: Amount = { entries: 0, bytes: 0 };

/** Splits a name or prefix after its last slash. */
const partsOf = (name: string): readonly [group: string, part: string] => {
  const at = name.lastIndexOf("/");
  return [name.slice(0, Math.max(0, at)), name.slice(at + 1)];
};

const amountOf = (answer: unknown): Amount => {
  const [entries = 0, bytes = 0] = Array.isArray(answer) ? answer.map(Number) : [];
  return { entries, bytes };
};

/** Calls a script that removes a batch until one was not full. */
const repeated = async (signal: AbortSignal, call: () => Promise<unknown>): Promise<Amount> => {
  const sum = { entries: 0, bytes: 0 };
  for (;;) {
    const { entries, bytes } = amountOf(await untilAborted(signal, call));
    sum.entries += entries;
    sum.bytes += bytes;
    if (entries < batch) return sum;
  }
};

async function* scanned(
  signal: AbortSignal,
  scan: (cursor: string) => Promise<readonly [next: string, found: readonly string[]]>,
): AsyncGenerator<readonly string[]> {
  let cursor = "0";
  do {
    const [next, found] = await untilAborted(signal, () => scan(cursor));
    cursor = next;
    if (found.length > 0) yield found;
  } while (cursor !== "0");
}

/** The results of pipelined commands; throws the first error among them. */
const outcomes = async (
  commands: ReturnType<RedisClient["pipeline"]>,
): Promise<readonly unknown[]> => {
  const results = await commands.exec();
  if (results === null) return fail("upstream", "Redis aborted a transaction.");
  return results.map(([error, value]) => {
    if (error) throw error;
    return value;
  });
};

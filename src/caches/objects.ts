import { setMaxListeners } from "node:events";
import type { ListedObject, Objects } from "../clients/objects.ts";
import { Ages } from "./ages.ts";
import type { Amount } from "./cache.ts";
import { merged } from "./merged.ts";
import { derivativePrefix, entryName, infoPrefix } from "./names.ts";
import type { Store, StoreContext } from "./store.ts";

/** Behind the prefix, and unlike any entry's name. */
const notesKey = "notes";
/** Maximum number of pages of objects being removed while the next are listed. */
const pagesAtOnce = 8;
/** Age in milliseconds after which an unfinished upload is abandoned. */
const staleUploadMs = 86_400_000;

/** An object prefix without slashes at its ends, then one; empty for none. */
export const keyPrefix = (given: string): string => {
  const bare = given.replace(/^\/+|\/+$/g, "");
  return bare === "" ? "" : `${bare}/`;
};

/**
 * A store in an object storage: entries are stored under their names behind a prefix; the last
 * modification counts as the last use. Nothing else there is ever touched, whatever the prefix is.
 */
export const objectStore = (
  objects: Objects,
  { prefix, now = () => new Date() }: { readonly prefix: string } & Pick<StoreContext, "now">,
): Store => {
  const isOurs = (key: string): boolean =>
    key.startsWith(prefix) && entryName.test(key.slice(prefix.length));

  /** Pages of the entries with a name prefix. */
  const entries = async function* (
    begin: string,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ListedObject[]> {
    for (const area of areasOf(begin))
      for await (const { objects: page } of objects.list(prefix + area, signal))
        yield page.filter(({ key }) => isOurs(key));
  };

  /**
   * The same, faster: beyond a first page, the sixteen values of the next digit are listed
   * concurrently, since a service returns the pages of a listing one after the other.
   */
  const concurrentEntries = async function* (
    begin: string,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ListedObject[]> {
    for (const area of areasOf(begin)) {
      const start = prefix + area;
      const first = await objects.list(start, signal).next();
      if (first.done) continue;
      yield first.value.objects.filter(({ key }) => isOurs(key));
      const last = first.value.objects.at(-1)?.key ?? "";
      if (!first.value.more) continue;
      const digits = [..."0123456789abcdef"].filter(
        (digit) => start + digit >= last.slice(0, start.length + 1),
      );
      for await (const { objects: page } of merged(
        digits.map((digit) => objects.list(start + digit, signal)),
      ))
        yield page.filter(({ key }) => key > last && isOurs(key));
    }
  };

  /** Removes the selected entries of each page while the next is listed. */
  const removeOf = async (
    pages: AsyncIterable<readonly ListedObject[]>,
    picks: (entry: ListedObject) => boolean,
    signal: AbortSignal,
  ): Promise<Amount> => {
    let gone: Amount = { entries: 0, bytes: 0 };
    const failing = new AbortController();
    const both = AbortSignal.any([signal, failing.signal]);
    // Each of the bounded number of requests listens to it.
    setMaxListeners(0, both);
    const removing = new Set<Promise<void>>();
    try {
      for await (const page of pages) {
        both.throwIfAborted();
        const picked = page.filter(picks);
        if (picked.length === 0) continue;
        gone = plus(gone, picked);
        const keys = picked.map(({ key }) => key);
        const removal = objects
          .remove(keys, both)
          .catch((error: unknown) => failing.abort(error))
          .finally(() => removing.delete(removal));
        removing.add(removal);
        if (removing.size >= pagesAtOnce) await Promise.race(removing);
      }
    } finally {
      await Promise.all(removing);
    }
    both.throwIfAborted();
    return gone;
  };

  return {
    notes: {
      read: async (signal) => (await objects.get(prefix + notesKey, signal))?.bytes,
      write: (bytes, signal) => objects.put(prefix + notesKey, bytes, signal),
    },

    async get(name, signal) {
      const found = await objects.get(prefix + name, signal);
      return found && { bytes: found.bytes, usedAt: found.modifiedAt };
    },

    put: (name, bytes, signal) => objects.put(prefix + name, bytes, signal),

    touch: (name, signal) => objects.touch(prefix + name, signal),

    async remove(begin, signal) {
      const found = begin === "" || begin.endsWith("/") ? concurrentEntries : entries;
      return (await removeOf(found(begin, signal), () => true, signal)).entries;
    },

    async sweep({ before, bounds }, signal) {
      const ages = new Ages(now());
      const expired = await removeOf(
        entries("", signal),
        ({ modifiedAt, bytes }) => {
          if (before !== undefined && modifiedAt < before) return true;
          ages.note(modifiedAt, bytes);
          return false;
        },
        signal,
      );
      const isBeyond = ages.beyond(bounds);
      const surplus = isBeyond
        ? await removeOf(
            entries("", signal),
            ({ modifiedAt, bytes }) => isBeyond(modifiedAt, bytes),
            signal,
          )
        : { entries: 0, bytes: 0 };
      await objects.giveUpUploads?.(
        {
          prefix: prefix + derivativePrefix,
          before: new Date(now().getTime() - staleUploadMs),
          ours: isOurs,
        },
        signal,
      );
      return {
        entries: expired.entries + surplus.entries,
        bytes: expired.bytes + surplus.bytes,
      };
    },

    async stats(signal, begin = "") {
      let amount: Amount = { entries: 0, bytes: 0 };
      const found = begin.endsWith("/") ? concurrentEntries : entries;
      for await (const page of found(begin, signal)) amount = plus(amount, page);
      return amount;
    },

    close: async () => objects.close(),
  };
};

/** The object prefixes of entries with a name prefix. */
const areasOf = (begin: string): readonly string[] =>
  begin === "" ? [derivativePrefix, infoPrefix] : [begin];

const plus = (amount: Amount, objects: readonly ListedObject[]): Amount => ({
  entries: amount.entries + objects.length,
  bytes: objects.reduce((sum, { bytes }) => sum + bytes, amount.bytes),
});

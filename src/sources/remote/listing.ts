import type { KeyPage, ListedKey } from "../../clients/key-page.ts";
import { fail } from "../../core/errors.ts";
import type { ListedFolder, ListedObject, Listing, ListingOptions } from "../../core/source.ts";
import { notAfter } from "./failures.ts";
import { isObjectName } from "./object-names.ts";
import type { Requests } from "./request.ts";
import type { StoreKeys } from "./store.ts";

/** Maximum length of a store's text for the next page; longer ones are none of its. */
const maxAfter = 4_096;

/** Maximum number of pages without an entry that one part of a listing reads. */
const maxEmptyPages = 20;

/** A folder of a store, and how to ask for it. */
export interface KeyFolder {
  readonly keys: StoreKeys;
  readonly requests: Requests;
  /** As for `Source.list`. */
  readonly folder: string;
}

/**
 * A part of the objects whose keys are directly in a folder, as `Source.list` describes; undefined
 * where the prefix of keys is not a folder but the beginning of names. Keys that no identifier
 * leads to are left out. Where many are, a part may be empty and still have a `next`.
 */
export const listKeys = async (
  { keys, requests, folder }: KeyFolder,
  { after, max, signal }: ListingOptions,
): Promise<Listing | undefined> => {
  if (keys.prefix !== "" && !keys.prefix.endsWith("/")) return undefined;
  checkContinuation(after);
  const above = folder === "" ? "" : `${folder}/`;
  const prefix = keys.prefix + above;
  if (folder !== "" && !isFolderPath(prefix)) return missing(folder);
  let next = after;
  for (let count = 0; ; count++) {
    const page = await requests.call(
      { origin: keys.origin, place: keys.place, signal },
      (requestSignal) => keys.page({ prefix, after: next, max, signal: requestSignal }),
    );
    if (folder !== "" && next === undefined && isEmpty(page)) return missing(folder);
    const entries = entriesOf(page, { prefix, above, suffix: keys.suffix });
    next = page.next;
    if (next === undefined) return { entries };
    if (entries.length > 0 || count === maxEmptyPages) return { entries, next };
  }
};

/** Refuses what no store gives; the store itself judges what anything else means. */
const checkContinuation = (after: string | undefined): void => {
  if (after === undefined) return;
  if (after === "" || after.length > maxAfter || /[\p{Cc}\p{Cs}]/u.test(after))
    fail("malformed", notAfter);
};

const missing = (folder: string): never => fail("missing", `There is no folder '${folder}'.`);

/** Whether nothing begins with the prefix, not even an object that stands for the folder. */
const isEmpty = ({ prefixes, keys, next }: KeyPage): boolean =>
  prefixes.length + keys.length === 0 && next === undefined;

/** Whether a prefix that ends in a slash leads to a folder, by names that are not empty. */
const isFolderPath = (prefix: string): boolean => {
  const path = prefix.slice(0, -1);
  return isObjectName(path) && path.split("/").every((name) => name !== "");
};

/** The names around what is listed. */
interface ListedPlace {
  /** What all keys begin with. */
  readonly prefix: string;
  /** What all identifiers begin with. */
  readonly above: string;
  /** What keys end with, and identifiers do not. */
  readonly suffix: string;
}

/** What a page has for clients, in the order of keys. */
const entriesOf = (page: KeyPage, place: ListedPlace): Listing["entries"] =>
  [
    ...page.prefixes.map((key) => ({ key, entry: folderOf(key, place) })),
    ...page.keys.map((listed) => ({ key: listed.key, entry: objectOf(listed, place) })),
  ]
    .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
    .flatMap(({ entry }) => entry ?? []);

const folderOf = (key: string, { prefix, above }: ListedPlace): ListedFolder | undefined => {
  const name = key.slice(prefix.length, -1);
  return isShown(name, key.slice(0, -1)) ? { kind: "folder", name, path: above + name } : undefined;
};

const objectOf = (
  { key, size, lastModified }: ListedKey,
  { prefix, above, suffix }: ListedPlace,
): ListedObject | undefined => {
  if (!key.endsWith(suffix)) return undefined;
  const name = key.slice(prefix.length, key.length - suffix.length);
  if (!isShown(name, key)) return undefined;
  return {
    kind: "object",
    name,
    identifier: above + name,
    ...(size === undefined ? {} : { size }),
    ...(lastModified ? { lastModified } : {}),
  };
};

/** Whether a name may be listed: not hidden, and its key is one that identifiers lead to. */
const isShown = (name: string, key: string): boolean =>
  name !== "" && !name.includes("/") && !name.startsWith(".") && isObjectName(key);

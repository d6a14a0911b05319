import type { KeyPage, ListedKey } from "../../clients/key-page.ts";
import { fail } from "../../core/errors.ts";
import type { ListedFolder, ListedObject, Listing, ListingOptions } from "../../core/source.ts";
import { notAfter } from "./failures.ts";
import { isObjectName } from "./object-names.ts";
import type { Requests } from "./request.ts";
import type { StoreKeys } from "./store.ts";

/** Maximum length of a store's token for the next page; longer ones are invalid. */
const maxAfter = 4_096;

/** Maximum number of pages without an entry that one part of a listing reads. */
const maxEmptyPages = 20;

/** A folder of a store, and the parameters for listing it. */
export interface KeyFolder {
  readonly keys: StoreKeys;
  readonly requests: Requests;
  /** As for `Source.list`. */
  readonly folder: string;
}

/**
 * A part of the objects whose keys are directly in a folder, as `Source.list` describes; undefined
 * if the prefix of keys is not a folder but the start of names. Keys without an identifier are
 * skipped. If many are, a part may be empty and still have a `next`.
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

/** Refuses invalid cursors that can be recognised here; the store refuses others. */
const checkContinuation = (after: string | undefined): void => {
  if (after === undefined) return;
  if (after === "" || after.length > maxAfter || /[\p{Cc}\p{Cs}]/u.test(after))
    fail("malformed", notAfter);
};

const missing = (folder: string): never => fail("missing", `There is no folder '${folder}'.`);

/** Whether no key starts with the prefix, not even an object that represents the folder. */
const isEmpty = ({ prefixes, keys, next }: KeyPage): boolean =>
  prefixes.length + keys.length === 0 && next === undefined;

/** Whether a prefix that ends in a slash is the path of a folder, without empty names. */
const isFolderPath = (prefix: string): boolean => {
  const path = prefix.slice(0, -1);
  return isObjectName(path) && path.split("/").every((name) => name !== "");
};

/** The fixed parts of keys and identifiers. */
interface ListedPlace {
  /** What all keys begin with. */
  readonly prefix: string;
  /** What all identifiers begin with. */
  readonly above: string;
  /** What keys end with, and identifiers do not. */
  readonly suffix: string;
}

/** The entries of a page for clients, in the order of keys. */
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

/** Whether a name may be listed: it is not hidden, and its key has an identifier. */
const isShown = (name: string, key: string): boolean =>
  name !== "" && !name.includes("/") && !name.startsWith(".") && isObjectName(key);

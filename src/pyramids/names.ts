import { createHash } from "node:crypto";
import { imageHash } from "../core/plan.ts";

/** One page of one version of an image. */
export interface PageState {
  readonly identifier: string;
  readonly version: string;
  /** Counted from 0. */
  readonly page: number;
}

/** The name of a page's pyramid: `<hash of the identifier>-<hash of the rest>`. */
export const pyramidName = ({ identifier, version, page }: PageState): string =>
  `${imageHash(identifier)}-${createHash("sha256").update(`${page}\0${version}`).digest("hex").slice(0, 32)}`;

/** Whether a text is a cursor in a list of names: a name or a prefix of one. */
export const isCursor = (text: string): boolean => /^[0-9a-f]{1,32}(-[0-9a-f]{0,32})?$/.test(text);

/** The kinds of stored files of a page: pyramid, facts, refusal, lock. */
export type StoredKind = "pyramid" | "facts" | "refusal" | "lock";

/** The ending of each kind's names. */
export const endings: Readonly<Record<StoredKind, string>> = {
  pyramid: ".tif",
  facts: ".json",
  refusal: ".failed",
  lock: ".lock",
};

const kinds = new Map(Object.entries(endings).map(([kind, end]) => [end, kind as StoredKind]));

/** The parts of a stored name; undefined for names of other files. */
export const parseStored = (
  text: string,
): { readonly name: string; readonly kind: StoredKind } | undefined => {
  const [, name = "", ending = ""] =
    /^([0-9a-f]{32}-[0-9a-f]{32})(\.(?:tif|json|failed|lock))$/.exec(text) ?? [];
  const kind = kinds.get(ending);
  return kind && { name, kind };
};

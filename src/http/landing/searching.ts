import { fail } from "../../core/errors.ts";
import type { SearchPart } from "../../gallery/gallery.ts";
import {
  enoughMs,
  type ListedPage,
  type ListingDeps,
  perDecision,
  perPage,
  seenEntries,
  unlisted,
} from "./listing.ts";
import type { PagesExchange } from "./pages.ts";
import { maxCharacters, numberParameter, textParameter } from "./parameters.ts";
import { mayHide } from "./visible.ts";

/** A page of search results. */
export interface SearchedPage extends ListedPage {
  /** Whether all names were searched. */
  readonly complete: boolean;
  /**
   * Why not: names are still being read, so `next` may find more; the source has more names than
   * are searched; or the source did not respond.
   */
  readonly reason?: "reading" | "bounded" | "failed";
}

/**
 * Handles `q`, `after` and `max`: about `max` folders and images that the client may see and whose
 * names contain all words of `q`. Throws `malformed`, and `unimplemented` if the source cannot be
 * listed.
 */
export const searchedPage = async (
  exchange: PagesExchange,
  deps: ListingDeps,
): Promise<SearchedPage> => {
  const { query } = exchange.target;
  const text = textParameter(query, "q", maxCharacters.search);
  if (text.trim() === "") fail("malformed", "q: expected words to search for, got none.");
  const wanted = numberParameter(query, "max", perPage);
  const max = mayHide(deps) ? Math.min(wanted, perDecision) : wanted;
  const given = textParameter(query, "after", maxCharacters.cursor);
  if (!deps.gallery.isListable) unlisted();
  const entries: ListedPage["entries"][number][] = [];
  const end = performance.now() + enoughMs;
  let part: SearchPart;
  let from = Number(deps.cursors.read("search", text, given) ?? 0);
  do {
    part = await deps.gallery.search(text, { from, max, signal: exchange.deadline.signal });
    entries.push(...(await seenEntries(part.entries, exchange, deps)));
    from = part.next ?? from;
  } while (
    part.entries.length > 0 &&
    isMore(part) &&
    entries.length < wanted / 2 &&
    performance.now() < end
  );
  const next = isMore(part) ? deps.cursors.write("search", { of: text, at: from }) : undefined;
  return { entries, ...(next === undefined ? {} : { next }), ...completeness(part) };
};

const isMore = ({ next }: SearchPart): boolean => next !== undefined;

const completeness = ({ state }: SearchPart): Pick<SearchedPage, "complete" | "reason"> =>
  state === "read" ? { complete: true } : { complete: false, reason: state };

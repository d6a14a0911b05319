import { takeMark } from "../../access/signed-urls.ts";
import type { ImageInfo } from "../../core/info.ts";
import { pageAt, pageIndex } from "../../iiif/offer.ts";
import { refuseUnlessSeen, sessionOf } from "../permission/gate.ts";
import { type NamingDeps, readText, writeText } from "../permission/identifier.ts";
import { permitted } from "../permission/permission.ts";
import type { HttpDeps } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";
import { parseQuery } from "../request/query.ts";
import { numberParameter } from "./parameters.ts";

/** The position of an image among the pages of its file; identifiers are decoded. */
export interface Pages {
  /** The identifier without page and constraint. */
  readonly identifier: string;
  /** Counted from 1; of a video the second, counted from 0. */
  readonly page: number;
  /** The last one; absent for a video whose end was not reached. */
  readonly pages?: number;
  /** The unit, where it is not pages. */
  readonly unit?: "second";
  /** The identifier of the previous page, with the request's signature if it had one. */
  readonly previous?: string;
  readonly next?: string;
  /** The pages from `from` on; absent if none were requested. */
  readonly listed?: readonly ListedPageNumber[];
}

/** One of the pages of a file. */
export interface ListedPageNumber {
  readonly page: number;
  readonly identifier: string;
}

/** Maximum number of pages listed at a time. */
const maxListed = 50;

/** Maximum page number that can be requested. */
const maxPage = 1_000_000_000;

/** The dependencies of the page list. */
export type PagesExchange = Pick<
  Exchange,
  "request" | "address" | "target" | "peerTrusted" | "context" | "deadline"
>;

/**
 * Handles the page's query, whose `identifier` is form-encoded, for clients that may see the image;
 * with `from`, lists up to `max` pages from that one on. Throws `Refused` and `malformed`.
 */
export const pagesAround = async (
  exchange: PagesExchange,
  deps: Pick<HttpDeps, "images" | "policy" | "auth"> & NamingDeps,
): Promise<Pages> => {
  const { images, delegate } = deps;
  const { target, context, deadline } = exchange;
  const given = parseQuery(target.query ?? "").get("identifier") ?? "";
  const marked = takeMark(given);
  const { mark } = marked;
  const { id: meta, session: started } = await readText(exchange, marked.segment, deps);
  permitted(deps, exchange, { identifier: meta.identifier, marked });
  const session = started ?? (delegate && sessionOf(delegate, exchange, meta));
  if (session) await refuseUnlessSeen(session, exchange);
  const asked = context(meta.identifier, session);
  const { info } = await deadline.race(images.know(asked, "use"));
  pageAt(info, meta);
  const { identifier, constraint } = meta;
  const [first, last] = numbersOf(info);
  const page = first + pageIndex(info, meta);
  const at = async (number: number): Promise<string> => {
    const named = {
      page: Math.max(1, number),
      ...(first === 0 && number === 1 && { first: true as const }),
    };
    return mark + (await writeText({ identifier, constraint, ...named }, session, exchange, deps));
  };
  const listed: ListedPageNumber[] = [];
  for (const number of wantedNumbers(target.query, first, last))
    listed.push({ page: number, identifier: await at(number) });
  return {
    identifier,
    page,
    ...(last === undefined ? {} : { pages: last }),
    ...(first === 0 ? { unit: "second" } : {}),
    ...(page > first ? { previous: await at(page - 1) } : {}),
    ...(last === undefined || page < last ? { next: await at(page + 1) } : {}),
    ...(listed.length === 0 ? {} : { listed }),
  };
};

/** The numbers of the pages to list, by `from` and `max`; none without `from`. */
const wantedNumbers = (
  query: string | undefined,
  first: number,
  last = maxPage,
): readonly number[] => {
  const from = numberParameter(query, "from", { min: 0, max: maxPage, absent: -1 });
  const max = numberParameter(query, "max", { min: 1, max: maxListed, absent: maxListed });
  if (from < 0) return [];
  const begin = Math.max(first, from);
  const count = Math.max(0, Math.min(max, last - begin + 1));
  return Array.from({ length: count }, (_, index) => begin + index);
};

/** The label of the first page, or second of a video, and of the last one where known. */
const numbersOf = ({ pages, seconds }: ImageInfo): readonly [0 | 1, number | undefined] => {
  if (seconds === undefined) return [1, pages.length];
  return [0, seconds === "unknown" ? undefined : Math.max(1, Math.ceil(seconds)) - 1];
};

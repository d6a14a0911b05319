import { takeMark } from "../../access/signed-urls.ts";
import type { ImageInfo } from "../../core/info.ts";
import { pageAt, pageIndex } from "../../iiif/offer.ts";
import { refuseUnlessSeen, sessionOf } from "../permission/gate.ts";
import { type NamingDeps, readText, writeText } from "../permission/identifier.ts";
import { permitted } from "../permission/permission.ts";
import type { HttpDeps } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";
import { parseQuery } from "../request/query.ts";

/** Where an image stands among the pages of its file; identifiers are decoded. */
export interface Pages {
  /** Without page and constraint. */
  readonly identifier: string;
  /** Counted from 1; of a video the second, counted from 0. */
  readonly page: number;
  /** The last one; absent where only the end of a video tells. */
  readonly pages?: number;
  /** What is counted, where it is not pages. */
  readonly unit?: "second";
  /** The identifier of the page before, with the signature that came, where there is one. */
  readonly previous?: string;
  readonly next?: string;
}

/** What the answer is made from. */
export type PagesExchange = Pick<
  Exchange,
  "request" | "address" | "target" | "peerTrusted" | "context" | "deadline"
>;

/**
 * Answers for the page that the query names as `identifier`, percent-encoded as in a form, to
 * clients that may see the image. Throws `Refused`.
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
  return {
    identifier,
    page,
    ...(last === undefined ? {} : { pages: last }),
    ...(first === 0 ? { unit: "second" } : {}),
    ...(page > first ? { previous: await at(page - 1) } : {}),
    ...(last === undefined || page < last ? { next: await at(page + 1) } : {}),
  };
};

/**
 * What the first page, or second of a video, is called by, and what the last one where that is
 * known.
 */
const numbersOf = ({ pages, seconds }: ImageInfo): readonly [0 | 1, number | undefined] => {
  if (seconds === undefined) return [1, pages.length];
  return [0, seconds === "unknown" ? undefined : Math.max(1, Math.ceil(seconds)) - 1];
};

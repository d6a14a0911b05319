import { fail } from "../core/errors.ts";
import { type IdentifierSyntax, parseIdentifier, writeIdentifier } from "../core/identifier.ts";
import type { HttpDeps } from "./deps.ts";
import type { Exchange } from "./exchange.ts";
import { parseQuery } from "./query.ts";

/** Where a picture stands among the pages of its file; identifiers are decoded. */
export interface Pages {
  /** Without page and constraint. */
  readonly identifier: string;
  /** Counted from 1. */
  readonly page: number;
  readonly pages: number;
  /** What the page before is asked for by, where there is one. */
  readonly previous?: string;
  readonly next?: string;
}

/** Answers for the page that the query names as `identifier`, percent-encoded as in a form. */
export const pagesAround = async (
  { target, context, deadline }: Pick<Exchange, "target" | "context" | "deadline">,
  images: Pick<HttpDeps["images"], "know">,
  syntax: IdentifierSyntax,
): Promise<Pages> => {
  const given = parseQuery(target.query ?? "").get("identifier") ?? "";
  const meta = parseIdentifier(encodeURIComponent(given), syntax);
  const { info } = await deadline.race(images.know(context(meta.identifier), "use"));
  const pages = info.pages.length;
  const { identifier, page } = meta;
  if (page > pages) fail("missing", `page: expected 1 to ${pages} for this image, got ${page}`);
  const at = (number: number): string =>
    writeIdentifier({ ...meta, page: number }, syntax.delimiter);
  return {
    identifier,
    page,
    pages,
    ...(page > 1 ? { previous: at(page - 1) } : {}),
    ...(page < pages ? { next: at(page + 1) } : {}),
  };
};

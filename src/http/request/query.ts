import type { DelegateSession } from "../../core/delegate.ts";
import {
  type IdentifierSyntax,
  identifierSegment,
  type MetaIdentifier,
} from "../../core/identifier.ts";
import type { Caching } from "../../service/known.ts";
import type { IdentifierReader } from "./identifiers.ts";

/** The query arguments of the image endpoints; all others are ignored. */
export interface QueryArguments {
  /** The value of `cache`; unknown values are ignored. */
  readonly caching: Caching;
  /** Decoded. */
  readonly disposition: string | undefined;
  /** The deprecated `page`, counted from 1; lower values mean the first. */
  readonly page: number | undefined;
}

/** Parses the query of an image or info.json request. Of a repeated argument the first counts. */
export const readQuery = (query: string | undefined): QueryArguments => {
  if (query === undefined) return noArguments;
  const given = parseQuery(query);
  const page = given.get("page");
  return {
    caching: cachings.get(given.get("cache") ?? "") ?? "use",
    disposition: given.get("response-content-disposition"),
    page: page !== undefined && /^-?\d{1,9}$/.test(page) ? Math.max(Number(page), 1) : undefined,
  };
};

const noArguments: QueryArguments = { caching: "use", disposition: undefined, page: undefined };

/** An image and the raw identifier segment that names it without a query. */
export interface NamedImage {
  readonly id: MetaIdentifier;
  readonly segment: string;
  /** The delegate session that parsed the segment; absent where the delegate was not asked. */
  readonly session?: DelegateSession;
}

/**
 * What a raw identifier segment and the deprecated `page` argument name; `page` counts only where
 * the identifier names no page itself. Throws `malformed`.
 */
export const namedBy = (
  segment: string,
  page: number | undefined,
  { reader, syntax }: { readonly reader: IdentifierReader; readonly syntax: IdentifierSyntax },
): NamedImage => {
  const spelled = reader.read(segment, syntax);
  if (page === undefined || page === spelled.page || spelled.page !== 1 || spelled.first)
    return { id: spelled, segment };
  const id = { ...spelled, page };
  return { id, segment: identifierSegment(id, syntax) };
};

const cachings: ReadonlyMap<string, Caching> = new Map([
  ["nocache", "bypass"],
  ["false", "bypass"],
  ["recache", "refresh"],
]);

/**
 * Splits at `&`, then at the first `=`; form-decodes. Values that cannot be decoded stay as they
 * are.
 */
export const parseQuery = (query: string): Map<string, string> => {
  const given = new Map<string, string>();
  for (const part of query.split("&")) {
    const at = part.indexOf("=");
    const name = formDecode(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? "" : formDecode(part.slice(at + 1));
    if (name !== "" && !given.has(name)) given.set(name, value);
  }
  return given;
};

const formDecode = (text: string): string => {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
};

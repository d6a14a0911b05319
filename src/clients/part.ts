import type { Readable } from "node:stream";

/** A range of an object, in bytes from its start. */
export interface Part {
  readonly offset: number;
  readonly length: number;
}

/** What to fetch of an object. */
export interface PartWanted {
  /** Absent: all of it. */
  readonly range?: Part | undefined;
  /** Fetches nothing where the object has another ETag by now. */
  readonly etag?: string | undefined;
}

/** A service's response for an object; the caller reads the body or destroys it. */
export interface FetchedPart {
  /** Of the whole object, in bytes. */
  readonly size?: number;
  readonly etag?: string;
  readonly lastModified?: Date;
  readonly contentType?: string;
  /** Absent where the body is the whole object. */
  readonly part?: Part;
  readonly body: Readable;
}

/** The Range header of a request. */
export const rangeHeader = ({ offset, length }: Part): string =>
  `bytes=${offset}-${offset + length - 1}`;

/** Parses a Content-Range header (RFC 9110, section 14.4); undefined where it is invalid. */
export const contentRange = (
  header: string | undefined,
): { readonly part: Part; readonly size?: number } | undefined => {
  const [, first = "", last = "", size = ""] =
    /^bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(header ?? "") ?? [];
  if (first === "" || Number(last) < Number(first)) return undefined;
  const part = { offset: Number(first), length: Number(last) - Number(first) + 1 };
  return { part, ...(size === "*" ? {} : { size: Number(size) }) };
};

/** The facts in the headers of a response with all or a range of an object. */
export const factsOf = (headers: {
  readonly range: string | undefined;
  readonly length: number | undefined;
  readonly etag: string | undefined;
  readonly lastModified: Date | undefined;
  readonly contentType: string | undefined;
}): Omit<FetchedPart, "body"> => {
  const { etag, lastModified, contentType } = headers;
  const range = contentRange(headers.range);
  const size = headers.range === undefined ? headers.length : range?.size;
  return {
    ...(size === undefined ? {} : { size }),
    ...(range === undefined ? {} : { part: range.part }),
    ...(etag === undefined || etag === "" ? {} : { etag }),
    ...(lastModified === undefined || Number.isNaN(lastModified.getTime()) ? {} : { lastModified }),
    ...(contentType === undefined ? {} : { contentType }),
  };
};

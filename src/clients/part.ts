import type { Readable } from "node:stream";

/** A part of an object, in bytes from its start. */
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

/** What a service sent of an object; whoever gets it reads the body or destroys it. */
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

/** A range as HTTP has it in a request. */
export const rangeHeader = ({ offset, length }: Part): string =>
  `bytes=${offset}-${offset + length - 1}`;

/** What a Content-Range header says (RFC 9110, section 14.4); undefined where it makes no sense. */
export const contentRange = (
  header: string | undefined,
): { readonly part: Part; readonly size?: number } | undefined => {
  const [, first = "", last = "", size = ""] =
    /^bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(header ?? "") ?? [];
  if (first === "" || Number(last) < Number(first)) return undefined;
  const part = { offset: Number(first), length: Number(last) - Number(first) + 1 };
  return { part, ...(size === "*" ? {} : { size: Number(size) }) };
};

/** What headers say of an object of which all or a part was sent. */
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

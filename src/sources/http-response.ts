import type { HttpResponse } from "../clients/http.ts";
import { fail } from "../core/errors.ts";
import { type ByteRange, SourceChanged } from "../core/range-reader.ts";
import { contradictory, StoreFailure } from "./remote/failures.ts";
import type { ObjectFacts, ObjectResponse } from "./remote/store.ts";

/** The request of a response. */
export interface Question {
  readonly identifier: string;
  /** For logs: without query and credentials. */
  readonly place: string;
  readonly etag: string | undefined;
  readonly isRange: boolean;
}

/**
 * What a web server's response says of an object (RFC 9110). Throws `missing`, `denied`,
 * `SourceChanged`, or `upstream` for any invalid response.
 */
export const objectResponse = (response: HttpResponse, question: Question): ObjectResponse => {
  try {
    return read(response, question);
  } catch (error) {
    response.discard();
    throw error;
  }
};

const read = (response: HttpResponse, question: Question): ObjectResponse => {
  const { status, headers, body } = response;
  const { place, etag, isRange } = question;
  if (status === 416 && isRange) return unsatisfied(response, question);
  if (status !== 200 && status !== 206) return refused(response, question);
  const encoding = String(headers["content-encoding"] ?? "identity").toLowerCase();
  if (encoding !== "identity" && encoding !== "")
    return contradictory(place, `answered in the encoding '${encoding}', which was not asked for.`);
  const facts = factsIn(response);
  if (etag !== undefined && facts.etag !== undefined && facts.etag !== etag)
    throw new SourceChanged();
  const discard = (): void => response.discard();
  if (status === 200) return { ...facts, body, discard };
  const { size: _, ...others } = facts;
  return { ...others, ...partIn(response, place), body, discard };
};

/** The range of a body, and the size of the whole where it is stated. */
const partIn = (
  { headers }: HttpResponse,
  place: string,
): { readonly part: ByteRange; readonly size?: number } => {
  const told = String(headers["content-range"] ?? "").trim();
  const [, first, last, size] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(told) ?? [];
  const offset = Number(first);
  const length = Number(last) - offset + 1;
  if (!(length >= 1) || (size !== "*" && Number(last) >= Number(size)))
    return contradictory(place, `answered a part with Content-Range '${told}'.`);
  const announced = headers["content-length"];
  if (announced !== undefined && Number(announced) !== length)
    return contradictory(place, `announced ${announced} bytes for the part '${told}'.`);
  return { part: { offset, length }, ...(size === "*" ? {} : { size: Number(size) }) };
};

const factsIn = ({ headers }: HttpResponse): ObjectFacts => {
  const { etag, "last-modified": modified, "content-type": contentType } = headers;
  const length = headers["content-length"];
  const time = modified === undefined ? Number.NaN : Date.parse(modified);
  return {
    ...(length !== undefined && /^\d{1,15}$/.test(length) ? { size: Number(length) } : {}),
    // Weak ones say nothing of bytes (RFC 9110, 8.8.1).
    ...(etag !== undefined && /^"[^"]+"$/.test(etag) ? { etag } : {}),
    ...(Number.isNaN(time) ? {} : { lastModified: new Date(time) }),
    ...(contentType === undefined ? {} : { contentType }),
  };
};

/** A range beyond the end: the object is empty, or another one than it was. */
const unsatisfied = (response: HttpResponse, { place, etag }: Question): ObjectResponse => {
  const { headers } = response;
  if (/^bytes \*\/0$/i.test(String(headers["content-range"] ?? "").trim())) {
    response.discard();
    const { size: _, ...facts } = factsIn(response);
    return { ...facts, size: 0, body: nothing(), discard() {} };
  }
  if (etag !== undefined) throw new SourceChanged();
  return contradictory(place, "answered 416 to a range that it should have.");
};

async function* nothing(): AsyncGenerator<Uint8Array> {}

const refused = (
  { status, headers }: HttpResponse,
  { identifier, place }: Question,
): ObjectResponse => {
  const cause = new Error(`${place} answered ${status}.`);
  if (status === 404 || status === 410)
    return fail("missing", `There is no image '${identifier}'.`, cause);
  if (status === 401 || status === 403)
    return fail("denied", `The storage of '${identifier}' does not let the server read it.`, cause);
  if (status === 412) throw new SourceChanged(cause);
  const retryAfterMs = waitIn(headers["retry-after"]);
  throw new StoreFailure(cause.message, {
    retry: status >= 500 || status === 429 || status === 408,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
};

/** Milliseconds that a Retry-After header asks for: seconds, or a date. */
const waitIn = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined;
  if (/^\d{1,6}$/.test(header)) return Number(header) * 1_000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now());
};

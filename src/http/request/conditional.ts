import type { Reply } from "./reply.ts";

/** The validators of a response, known before it is rendered. */
export interface Validators {
  /** Quoted, as in `"abc"` or `W/"abc"`. */
  readonly etag: string;
  readonly lastModified?: Date | undefined;
}

/** Sets the validators as headers; `dateText` is a function of `dateTexts`. */
export const addValidators = (
  reply: Reply,
  { etag, lastModified }: Validators,
  dateText: (date: Date) => string,
): void => {
  reply.header("etag", etag);
  if (lastModified !== undefined) reply.header("last-modified", dateText(lastModified));
};

/**
 * Returns a function that spells dates as headers do (RFC 9110 §5.6.7), each `Date` once: all
 * requests for an image share one, and spelling it took 1 % of a stored tile.
 */
export const dateTexts = (): ((date: Date) => string) => {
  const texts = new WeakMap<Date, string>();
  return (date) => {
    const known = texts.get(date);
    if (known !== undefined) return known;
    const text = date.toUTCString();
    texts.set(date, text);
    return text;
  };
};

/** The request headers that make a request conditional. */
export interface Conditions {
  readonly "if-none-match"?: string | undefined;
  readonly "if-modified-since"?: string | undefined;
}

/**
 * True when the client's cached response is current and the answer is 304 (RFC 9110 §13.2.2):
 * `If-None-Match` decides where it is sent, else `If-Modified-Since`.
 */
export const isFresh = (conditions: Conditions, validators: Validators): boolean => {
  const none = conditions["if-none-match"];
  if (none !== undefined) return matches(none, validators.etag);
  const since = conditions["if-modified-since"];
  if (since === undefined || validators.lastModified === undefined) return false;
  const time = httpDate.test(since) ? Date.parse(since) : Number.NaN;
  // HTTP dates have whole seconds.
  return !Number.isNaN(time) && Math.floor(validators.lastModified.getTime() / 1000) * 1000 <= time;
};

/** The date forms of RFC 9110 §5.6.7 that name their zone; anything else is ignored. */
const httpDate =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4}|[A-Z][a-z]+, \d{2}-[A-Z][a-z]{2}-\d{2}) \d{2}:\d{2}:\d{2} GMT$/;

// Weak comparison (RFC 9110 §8.8.3.2) ignores W/.
const matches = (header: string, etag: string): boolean => {
  if (header.trim() === "*") return true;
  const opaque = opaqueOf(etag);
  for (const [, tag] of header.matchAll(/(?:W\/)?("[^"]*")/g)) if (tag === opaque) return true;
  return false;
};

const opaqueOf = (etag: string): string => (etag.startsWith("W/") ? etag.slice(2) : etag);

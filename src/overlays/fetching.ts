import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { HttpClient } from "../clients/http.ts";
import { productVersion } from "../core/product.ts";

/** The bytes of an overlay's image, and a stamp to detect changes. */
export interface Fetched {
  readonly bytes: Uint8Array;
  readonly stamp: string;
  /** Milliseconds until they have to be checked again. */
  readonly freshMs: number;
}

/** Unchanged; to be checked again after so many milliseconds. */
export interface NotModified {
  readonly freshMs: number;
}

/** Maximum bytes of an image's file. */
const maxBytes = 32 * 2 ** 20;

/**
 * Reads the file or URL of an overlay's image, unless its stamp is unchanged. Throws what Node.js
 * and the HTTP client throw, and errors with a sentence of their own.
 */
export const fetchPicture = (
  place: string,
  client: HttpClient,
  before: string | undefined,
  signal: AbortSignal,
): Promise<Fetched | NotModified> =>
  /^https?:/i.test(place)
    ? fetchUrl(new URL(place), client, before, signal)
    : readFile(/^file:/i.test(place) ? fileURLToPath(place) : resolve(place), before, signal);

/** The location of an overlay's image as logs may show it. */
export const shownPlace = (place: string): string => {
  if (!/^https?:/i.test(place) || !URL.canParse(place)) return place;
  const { origin, pathname } = new URL(place);
  return origin + pathname;
};

const fileFreshMs = 1_000;

const readFile = async (
  path: string,
  before: string | undefined,
  signal: AbortSignal,
): Promise<Fetched | NotModified> => {
  const file = await open(path, "r");
  try {
    const found = await file.stat({ bigint: true });
    if (!found.isFile()) throw new Error("It is not a file.");
    const stamp = `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}`;
    if (stamp === before) return { freshMs: fileFreshMs };
    if (found.size > maxBytes) throw tooLarge();
    signal.throwIfAborted();
    return { bytes: await file.readFile({ signal }), stamp, freshMs: fileFreshMs };
  } finally {
    await file.close();
  }
};

const tooLarge = (): Error => new Error(`It is larger than ${maxBytes} bytes.`);

const fetchUrl = async (
  url: URL,
  client: HttpClient,
  before: string | undefined,
  signal: AbortSignal,
): Promise<Fetched | NotModified> => {
  const etag = before?.startsWith(etagMark) ? before.slice(etagMark.length) : undefined;
  url.hash = "";
  const response = await client.get(url, {
    signal,
    headers: {
      "user-agent": `Vitrine/${productVersion} (overlays)`,
      accept: "image/*",
      "accept-encoding": "identity",
      ...(etag === undefined ? {} : { "if-none-match": etag }),
    },
  });
  const freshMs = freshnessOf(String(response.headers["cache-control"] ?? ""));
  if (response.status === 304 && etag !== undefined) {
    response.discard();
    return { freshMs };
  }
  if (response.status !== 200) {
    response.discard();
    throw new Error(`The server answered ${response.status}.`);
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body) {
    length += part.byteLength;
    if (length > maxBytes) {
      response.discard();
      throw tooLarge();
    }
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  const told = response.headers.etag;
  const stamp = told === undefined ? digestOf(bytes) : etagMark + told;
  return { bytes, stamp, freshMs };
};

const etagMark = "etag ";

const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** How long a response may be used without asking again, within bounds: RFC 9111 §5.2.2. */
const freshnessOf = (control: string): number => {
  const [, told] = /\bmax-age="?(\d{1,9})/i.exec(control) ?? [];
  const seconds = /\bno-(?:store|cache)\b/i.test(control) ? 0 : Number(told ?? usualSeconds);
  return Math.min(Math.max(seconds, minSeconds), maxSeconds) * 1_000;
};

const usualSeconds = 60;
/** An overlay is needed for every request. */
const minSeconds = 5;
const maxSeconds = 3_600;

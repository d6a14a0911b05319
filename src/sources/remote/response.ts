import { type ByteRange, SourceChanged } from "../../core/range-reader.ts";
import { contradictory, StoreFailure } from "./failures.ts";
import type { ObjectFacts, ObjectResponse } from "./store.ts";

/** Known facts of an object, to compare responses with. */
export type ExpectedFacts = Pick<ObjectFacts, "size" | "etag" | "lastModified">;

/**
 * Checks that a response is of the expected object and for the requested range. Returns the range
 * that its body holds; undefined where that is the whole object. Throws `SourceChanged` for another
 * object, and `upstream` where the store contradicts itself.
 */
export const checkResponse = (
  response: ObjectResponse,
  {
    place,
    range,
    expected,
  }: {
    readonly place: string;
    readonly range: ByteRange | undefined;
    readonly expected: ExpectedFacts | undefined;
  },
): ByteRange | undefined => {
  if (expected) checkSame(response, expected);
  const { part, size } = response;
  if (part === undefined) return undefined;
  if (range === undefined)
    return contradictory(place, "answered a part, but was asked for the whole object.");
  const told = `${part.offset}-${part.offset + part.length - 1}/${size ?? "*"}`;
  const asked = `${range.offset}-${range.offset + range.length - 1}`;
  const end = Math.min(range.offset + range.length, size ?? Number.POSITIVE_INFINITY);
  const isShort =
    size === undefined ? part.length > range.length : part.offset + part.length !== end;
  if (part.offset !== range.offset || isShort)
    return contradictory(place, `answered bytes ${told}, but was asked for ${asked}.`);
  return part;
};

const checkSame = (found: ObjectFacts, expected: ExpectedFacts): void => {
  const differs =
    isOther(found.size, expected.size) ||
    isOther(found.lastModified?.getTime(), expected.lastModified?.getTime()) ||
    isOther(found.etag, expected.etag) ||
    // Without an ETag something else has to identify the object.
    (expected.etag !== undefined && found.etag === undefined && found.lastModified === undefined);
  if (differs) throw new SourceChanged();
};

const isOther = (one: number | string | undefined, other: number | string | undefined): boolean =>
  one !== undefined && other !== undefined && one !== other;

/**
 * All bytes of a body, cut into blocks of so many bytes; throws `upstream` where they are more or
 * fewer than `length`.
 */
export const readBody = async (
  body: AsyncIterable<Uint8Array>,
  {
    length,
    block,
    place,
    received,
  }: {
    readonly length: number;
    readonly block: number;
    readonly place: string;
    readonly received: (bytes: number) => void;
  },
): Promise<Uint8Array[]> => {
  // Memory of their own: cached blocks must not retain their neighbours.
  const blocks = Array.from({ length: Math.ceil(length / block) }, (_, index) => {
    const { buffer } = Buffer.allocUnsafeSlow(Math.min(block, length - index * block));
    return new Uint8Array(buffer);
  });
  let filled = 0;
  for await (const chunk of body) {
    received(chunk.byteLength);
    if (filled + chunk.byteLength > length)
      return contradictory(place, `sent more than the ${length} bytes that it announced.`);
    let at = 0;
    while (at < chunk.byteLength) {
      const into = blocks[Math.floor(filled / block)] ?? new Uint8Array(0);
      const from = filled % block;
      const count = Math.min(chunk.byteLength - at, into.byteLength - from);
      into.set(chunk.subarray(at, at + count), from);
      at += count;
      filled += count;
    }
  }
  if (filled < length)
    throw new StoreFailure(`${place}: announced ${length} bytes and sent ${filled}.`, {
      retry: true,
    });
  return blocks;
};

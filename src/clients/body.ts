import { addAbortSignal, type Readable } from "node:stream";

/** All bytes of a body; undefined where there are more than `max`, whose rest is not read. */
export const wholeBody = async (
  body: Readable,
  { max, signal }: { readonly max: number; readonly signal: AbortSignal },
): Promise<Uint8Array | undefined> => {
  const parts: Buffer[] = [];
  let length = 0;
  // Leaving the loop early destroys the stream and its connection.
  for await (const part of addAbortSignal(signal, body) as AsyncIterable<Buffer>) {
    length += part.byteLength;
    if (length > max) return undefined;
    parts.push(part);
  }
  const [first] = parts;
  const { buffer, byteOffset } = parts.length === 1 && first ? first : Buffer.concat(parts, length);
  return new Uint8Array(buffer, byteOffset, length);
};

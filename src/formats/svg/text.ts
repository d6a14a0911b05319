import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { fail } from "../../core/errors.ts";

const unpack = promisify(gunzip);

/** Maximum length of a document in bytes. */
export const longestDocument = 33_554_432;

/**
 * The text of a document, gzipped or not, in the encoding of its byte order mark or declaration.
 * Throws `unreadable` where it is corrupt or too long.
 */
export const textOf = async (bytes: Uint8Array): Promise<string> => {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? await unpacked(bytes) : bytes;
  if (plain.length > longestDocument)
    fail("unreadable", `Expected an SVG document of at most ${longestDocument} bytes.`);
  const encoding = encodingOf(plain);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(plain);
  } catch (cause) {
    return fail("unreadable", "Expected an SVG document in the encoding that it declares.", cause);
  }
};

const unpacked = async (bytes: Uint8Array): Promise<Uint8Array> => {
  try {
    return await unpack(bytes, { maxOutputLength: longestDocument });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const damage =
      code === "ERR_BUFFER_TOO_LARGE" ? `of at most ${longestDocument} bytes` : "packed by gzip";
    return fail("unreadable", `Expected an SVG document ${damage}.`, cause);
  }
};

const encodingOf = (bytes: Uint8Array): string => {
  const start = Buffer.from(bytes.subarray(0, 200)).toString("latin1");
  return (
    /^(?:\xef\xbb\xbf)?<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1] ?? "utf-8"
  );
};

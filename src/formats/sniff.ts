import { withArticle } from "../core/article.ts";
import { fail } from "../core/errors.ts";
import { brandsOf, hasTextAt, signatureBytes } from "./containers/index.ts";
import { registry } from "./registry.ts";
import type { Sniff } from "./shared/index.ts";

/**
 * Detects a format from the content alone, whatever the file is called; undefined for an unknown
 * one. Throws `unreadable` for formats that are recognised but not supported.
 */
export const sniff: Sniff = async (reader, signal) => {
  const bytes = await reader.read(0, Math.min(signatureBytes, reader.size), signal);
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const unsupported = unsupportedFormats.find(([, matches]) => matches(start))?.[0];
  if (unsupported !== undefined)
    fail(
      "unreadable",
      `Expected an image in a format that can be read; the file is ${withArticle(unsupported)}, which this version cannot read.`,
    );
  return inOrder.find(({ signature }) => signature.matches(start))?.name;
};

const inOrder = [
  ...registry.filter(({ signature }) => signature.precedes),
  ...registry.filter(({ signature }) => !signature.precedes),
];

const unsupportedFormats: readonly (readonly [string, (start: Buffer) => boolean])[] = [
  ["Photoshop image", (start) => hasTextAt(start, 0, "8BPS")],
  ["Canon raw image", (start) => brandsOf(start)[0] === "crx "],
];

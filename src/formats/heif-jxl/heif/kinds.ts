import { withArticle } from "../../../core/article.ts";
import { fail } from "../../../core/errors.ts";
import type { Items } from "./items.ts";

/** The formats that are HEIF files. */
export type HeifFormat = "avif" | "heic";

/** The coding of images in each format, and their item types. */
const coding: Readonly<
  Record<HeifFormat, { readonly name: string; readonly types: ReadonlySet<string> }>
> = {
  avif: { name: "AV1", types: new Set(["av01"]) },
  heic: { name: "HEVC", types: new Set(["hvc1", "hev1"]) },
};

/** Derived images that decoders assemble (ISO/IEC 23008-12, 6.6). */
const derived: ReadonlySet<string> = new Set(["grid", "iden", "iovl"]);

/** Names of other types of items. */
const names: Readonly<Record<string, string>> = {
  av01: "coded in AV1",
  avc1: "coded in AVC (H.264)",
  evc1: "coded in EVC",
  hev1: "coded in HEVC",
  hvc1: "coded in HEVC",
  j2k1: "coded in JPEG 2000",
  jpeg: "coded in JPEG",
  lhv1: "coded in layers (L-HEVC)",
  mask: "a mask",
  tili: "made of tiles ('tili')",
  tmap: "a tone-mapped image with a gain map ('tmap')",
  unci: "not compressed ('unci')",
  vvc1: "coded in VVC (H.266)",
};

/**
 * Throws `unreadable`, with the type, for a file whose primary item the format's decoder cannot
 * decode, or that names none.
 */
export const checkPrimary = (format: HeifFormat, { primary, types, inputs }: Items): void => {
  const { name, types: coded } = coding[format];
  const expected = `Expected ${withArticle(format.toUpperCase())} image coded in ${name}, or a grid, overlay or identity of such images`;
  if (primary === undefined)
    return void fail("unreadable", `${expected}; the file has images but names no primary item.`);
  const seen = new Set<number>();
  const check = (id: number, what: string): void => {
    const type = types.get(id);
    // The decoder judges unlisted types.
    if (seen.has(id) || type === undefined || coded.has(type)) return;
    seen.add(id);
    if (!derived.has(type))
      fail(
        "unreadable",
        `${expected}; ${what} is ${names[type] ?? `of the type '${printable(type)}'`}, which this version cannot read.`,
      );
    for (const input of inputs.get(id) ?? []) check(input, `a part of its ${type}`);
  };
  check(primary, "its primary item");
};

const printable = (type: string): string => type.replace(/[^\x20-\x7e]|'/g, "?");

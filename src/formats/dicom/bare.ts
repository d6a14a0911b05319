const root = "1.2.840.10008.1.2";

/** Groups of elements: what identifies an image, and its pixels. */
const identifying = 0x0008;
const pixels = 0x7fe0;

/**
 * The elements that data sets begin with: lengths, character sets, types and names of images
 * (PS3.6, group 0008).
 */
const firstElements: ReadonlySet<number> = new Set([
  0x0000, 0x0001, 0x0005, 0x0006, 0x0008, 0x0012, 0x0014, 0x0016, 0x0018,
]);

/** Value representations of those elements whose length has two bytes. */
const kinds: ReadonlySet<string> = new Set(["UL", "CS", "SH", "UI", "DA", "TM"]);

/** A first value is a name, a date or a number. */
const longest = 256;

/**
 * The transfer syntax of a data set without a file header, as old modalities wrote files: implicit
 * or explicit, little endian. Undefined where bytes begin with anything else. Two elements have to
 * be valid, since few bytes could match by chance.
 */
export const bareSyntax = (start: Buffer): string | undefined => {
  if (start.length < 16 || start.readUInt16LE(0) !== identifying) return undefined;
  const element = start.readUInt16LE(2);
  if (!firstElements.has(element)) return undefined;
  const explicit = kinds.has(start.toString("latin1", 4, 6));
  const length = explicit ? start.readUInt16LE(6) : start.readUInt32LE(4);
  const next = 8 + length;
  if (length % 2 !== 0 || length > longest || start.length < next + 8) return undefined;
  const group = start.readUInt16LE(next);
  const follows =
    group === identifying
      ? start.readUInt16LE(next + 2) > element
      : group > identifying && group <= pixels;
  const isKind = /^[A-Z]{2}$/.test(start.toString("latin1", next + 4, next + 6));
  return follows && isKind === explicit ? `${root}${explicit ? ".1" : ""}` : undefined;
};

/** Number of bytes needed to recognise such a data set. */
export const bareLength = longest + 16;

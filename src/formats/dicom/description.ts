import { fail } from "../../core/errors.ts";
import type { Size } from "../../core/geometry.ts";
import type { Attributes } from "./attributes.ts";
import { dicomTags as tags } from "./tags.ts";

/** The supported photometric interpretations (PS3.3, C.7.6.3.1.2). */
export type Photometric =
  | "MONOCHROME1"
  | "MONOCHROME2"
  | "PALETTE COLOR"
  | "RGB"
  | "YBR_FULL"
  | "YBR_FULL_422"
  | "YBR_PARTIAL_422"
  | "YBR_PARTIAL_420"
  | "YBR_ICT"
  | "YBR_RCT";

/** The pixel format of every frame (PS3.3, C.7.6.3); validated. */
export interface Description {
  /** Of a frame. */
  readonly size: Size;
  readonly frames: number;
  readonly samples: 1 | 3;
  readonly photometric: Photometric;
  /** Whether samples are planar: all red, then all green and all blue. */
  readonly planar: boolean;
  /** Bits allocated per sample: 1, 8, 16, 32 or 64. */
  readonly allocated: number;
  /** Bits stored. */
  readonly stored: number;
  /** Bits below the stored ones. */
  readonly shift: number;
  readonly signed: boolean;
  readonly float: boolean;
}

const photometrics: ReadonlySet<string> = new Set<Photometric>([
  "MONOCHROME1",
  "MONOCHROME2",
  "PALETTE COLOR",
  "RGB",
  "YBR_FULL",
  "YBR_FULL_422",
  "YBR_PARTIAL_422",
  "YBR_PARTIAL_420",
  "YBR_ICT",
  "YBR_RCT",
]);

const isPhotometric = (text: string): text is Photometric => photometrics.has(text);

/**
 * Parses the pixel format; throws `unreadable` where it is missing, contradictory, or unsupported.
 */
export const describe = (attributes: Attributes, pixelTag: number): Description => {
  const width = attributes.whole(tags.columns) ?? 0;
  const height = attributes.whole(tags.rows) ?? 0;
  if (width < 1 || height < 1)
    fail("unreadable", `Expected a DICOM image with a positive size, not ${width} x ${height}.`);
  const photometric = attributes.text(tags.photometric) ?? "";
  if (!isPhotometric(photometric))
    return fail(
      "unreadable",
      `Expected DICOM pixels in grey, palette colour, RGB or YBR, not ${JSON.stringify(photometric.slice(0, 32))}.`,
    );
  const samples = attributes.whole(tags.samples) ?? 1;
  const isColour = photometric.startsWith("YBR") || photometric === "RGB";
  if (samples !== (isColour ? 3 : 1))
    return fail(
      "unreadable",
      `Expected ${isColour ? 3 : 1} samples per DICOM pixel in ${photometric}, not ${samples}.`,
    );
  return {
    size: { width, height },
    frames: framesIn(attributes),
    samples,
    photometric,
    planar: samples === 3 && attributes.whole(tags.planar) === 1,
    ...bitsIn(attributes, pixelTag),
  };
};

const framesIn = (attributes: Attributes): number => {
  const text = attributes.text(tags.frames);
  if (text === undefined || text === "") return 1;
  if (!/^\+?\d{1,10}$/.test(text) || Number(text) < 1)
    fail(
      "unreadable",
      `Expected a number of frames in the DICOM file, not ${JSON.stringify(text.slice(0, 32))}.`,
    );
  return Number(text);
};

const depths: ReadonlySet<number> = new Set([1, 8, 16, 32]);

const bitsIn = (
  attributes: Attributes,
  pixelTag: number,
): Pick<Description, "allocated" | "stored" | "shift" | "signed" | "float"> => {
  if (pixelTag !== tags.pixels) {
    const allocated = pixelTag === tags.floatPixels ? 32 : 64;
    return { allocated, stored: allocated, shift: 0, signed: true, float: true };
  }
  const allocated = attributes.whole(tags.bitsAllocated) ?? 0;
  const stored = attributes.whole(tags.bitsStored) ?? allocated;
  const high = attributes.whole(tags.highBit) ?? stored - 1;
  const isSound = depths.has(allocated) && stored >= 1 && high < allocated && high + 1 >= stored;
  if (!isSound)
    fail(
      "unreadable",
      `Expected DICOM samples of 1, 8, 16 or 32 bits, not ${stored} up to bit ${high} of ${allocated}.`,
    );
  const signed = attributes.whole(tags.signed) === 1;
  return { allocated, stored, shift: high + 1 - stored, signed, float: false };
};

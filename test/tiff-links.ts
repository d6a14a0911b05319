import sharp from "sharp";

/** The directories of a little-endian classic TIFF, for tests that change them. */
export interface Place {
  readonly at: number;
  /** Positions of values stored in the directory itself, by tag. */
  readonly values: ReadonlyMap<number, number>;
  /** Position of the link to the next directory. */
  readonly linkAt: number;
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The directories of the main chain, in order. */
export const placesIn = (bytes: Uint8Array): readonly Place[] => {
  const view = viewOf(bytes);
  const places: Place[] = [];
  for (let at = view.getUint32(4, true); at !== 0; ) {
    const count = view.getUint16(at, true);
    const tags = Array.from({ length: count }, (_, index) => at + 2 + index * 12);
    const values = new Map(tags.map((entry) => [view.getUint16(entry, true), entry + 8]));
    const linkAt = at + 2 + count * 12;
    places.push({ at, values, linkAt });
    at = view.getUint32(linkAt, true);
  }
  return places;
};

/** A copy with 32-bit numbers written at positions. */
export const patched = (
  bytes: Uint8Array,
  numbers: readonly (readonly [at: number | undefined, value: number])[],
): Uint8Array => {
  const copy = Uint8Array.from(bytes);
  for (const [at, value] of numbers) {
    if (at === undefined) throw new Error("Expected a field that is there");
    viewOf(copy).setUint32(at, value, true);
  }
  return copy;
};

const newSubfileType = 254;

/** A copy in which a directory of the main chain has another NewSubfileType. */
export const remarked = (bytes: Uint8Array, directory: number, subfile: number): Uint8Array =>
  patched(bytes, [[placesIn(bytes)[directory]?.values.get(newSubfileType), subfile]]);

/** A copy in which a directory of the main chain links elsewhere. */
export const relinked = (bytes: Uint8Array, directory: number, next: number): Uint8Array =>
  patched(bytes, [[placesIn(bytes)[directory]?.linkAt, next]]);

/**
 * Noise as a pyramid whose directories are spread through the file, each after its tiles, far from
 * the others.
 */
export const noisePyramid = ({ width = 1_501, height = 1_203, tile = 128 } = {}): Promise<Buffer> =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: "#888",
      noise: { type: "gaussian", mean: 128, sigma: 40 },
    },
  })
    .tiff({
      compression: "lzw",
      tile: true,
      tileWidth: tile,
      tileHeight: tile,
      pyramid: true,
    })
    .toBuffer();

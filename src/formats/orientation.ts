import type { Orientation } from "../core/geometry.ts";

/** A number from a file as an orientation, 1 where it is none. */
export const orientationOf = (value: number | undefined): Orientation => {
  switch (value) {
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      return value;
    default:
      return 1;
  }
};

/** What XMP says in tiff:Orientation, as an attribute or as an element; 1 where it says nothing. */
export const orientationInXmp = (xmp: Uint8Array | undefined): Orientation => {
  if (xmp === undefined) return 1;
  const found = /tiff:Orientation\s*(?:=\s*["']|>)\s*([1-8])/.exec(
    Buffer.from(xmp.buffer, xmp.byteOffset, xmp.byteLength).toString("latin1"),
  );
  return orientationOf(Number(found?.[1]));
};

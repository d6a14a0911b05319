import type { Orientation } from "../../core/geometry.ts";

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
export const orientationInXmp = (xmp: Uint8Array | undefined): Orientation =>
  orientationOf(Number(xmp && said.exec(textOf(xmp))?.[2]));

/**
 * XMP that says of its image that it stands upright, wherever it says anything of that; of the
 * same length.
 */
export const uprightXmp = (xmp: Uint8Array): Uint8Array =>
  Buffer.from(
    textOf(xmp).replaceAll(new RegExp(said, "g"), (_, before) => `${before}1`),
    "latin1",
  );

const said = /(tiff:Orientation\s*(?:=\s*["']|>)\s*)([1-8])/;

/** Its bytes as characters, so that it can be had back as it is whatever it is encoded in. */
const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("latin1");

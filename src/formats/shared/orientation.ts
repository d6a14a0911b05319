import type { Orientation } from "../../core/geometry.ts";

/** Validates a file's orientation; 1 where it is invalid. */
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

/** XMP's tiff:Orientation, as an attribute or as an element; 1 where there is none. */
export const orientationInXmp = (xmp: Uint8Array | undefined): Orientation =>
  orientationOf(Number(xmp && said.exec(textOf(xmp))?.[2]));

/** XMP with tiff:Orientation set to 1 wherever it occurs; of the same length. */
export const uprightXmp = (xmp: Uint8Array): Uint8Array =>
  Buffer.from(
    textOf(xmp).replaceAll(new RegExp(said, "g"), (_, before) => `${before}1`),
    "latin1",
  );

const said = /(tiff:Orientation\s*(?:=\s*["']|>)\s*)([1-8])/;

/** Its bytes as characters, so that any encoding survives a round trip. */
const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("latin1");

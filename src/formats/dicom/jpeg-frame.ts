import { fail } from "../../core/errors.ts";
import { area } from "../../core/geometry.ts";
import { open, readingFailed } from "../libvips/index.ts";
import { frameOf, type JpegFrame } from "../lossless-jpeg/index.ts";
import type { Description } from "./description.ts";
import { partOf } from "./frame-values.ts";
import type { FrameSamples } from "./job.ts";
import { type StoredPart, storedValues, takeSamples } from "./stored.ts";

/** libjpeg decodes baseline and extended JPEG of 8 bits, threads all others. */
export const jpegPart = async (
  bytes: Uint8Array,
  description: Description,
  {
    seconds,
    run,
  }: { readonly seconds: number; readonly run: (kind: "jpeg") => Promise<FrameSamples> },
): Promise<StoredPart> => {
  const { size, samples, photometric } = description;
  const frame = frameOf(bytes);
  const isRight =
    frame.width === size.width &&
    frame.height === size.height &&
    frame.components.length === samples;
  if (!isRight)
    fail("unreadable", "Expected a JPEG with the size and components of its DICOM frame.");
  const isPlain = frame.precision === 8 && frame.kind >= 0xc0 && frame.kind <= 0xc2;
  if (!isPlain) return partOf(await run("jpeg"), description, { isCut: true });
  if (description.stored > 8)
    fail(
      "unreadable",
      `Expected a JPEG with ${description.stored} bits per sample in the DICOM file; it has 8.`,
    );
  const dressed = samples === 3 && photometric === "RGB" ? asRgb(bytes, frame) : bytes;
  try {
    const { data, info } = await open(dressed, {
      as: "jpg",
      options: { limitInputPixels: area(size), ignoreIcc: true },
      seconds,
    })
      .toColourspace(samples === 3 ? "srgb" : "b-w")
      .raw()
      .toBuffer({ resolveWithObject: true });
    if (info.channels !== samples || data.length !== area(size) * samples)
      return fail("unreadable", "Expected a JPEG with the size and components of its DICOM frame.");
    const decoded = new Uint8Array(data.buffer, data.byteOffset, data.length);
    const values = storedValues(description, decoded.length);
    takeSamples(
      { bytes: decoded, littleEndian: true, step: 1 },
      { ...description, allocated: 8, shift: 0 },
      {
        into: values,
        at: 0,
        stride: 1,
        count: decoded.length,
      },
    );
    return {
      ...size,
      channels: samples,
      values,
      photometric: samples === 3 ? "RGB" : photometric,
    };
  } catch (error) {
    throw readingFailed(error, "DICOM");
  }
};

/** Adobe's APP14, which says that components are not transformed. */
const adobe = Uint8Array.of(0xff, 0xee, 0, 14, 65, 100, 111, 98, 101, 0, 100, 0, 0, 0, 0, 0);

/**
 * Where nothing in a JPEG states its colour model, the DICOM file does: libjpeg would guess by the
 * component ids.
 */
const asRgb = (bytes: Uint8Array, { components }: JpegFrame): Uint8Array => {
  const app = bytes[3] ?? 0;
  const says = (app === 0xe0 || app === 0xee) && bytes[2] === 0xff;
  const isNumbered = components.every(({ id }, index) => id === index + 1 || id === index);
  if (says || !isNumbered) return bytes;
  const dressed = new Uint8Array(bytes.length + adobe.length);
  dressed.set(bytes.subarray(0, 2));
  dressed.set(adobe, 2);
  dressed.set(bytes.subarray(2), 2 + adobe.length);
  return dressed;
};

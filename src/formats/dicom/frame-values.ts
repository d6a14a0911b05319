import { fail } from "../../core/errors.ts";
import { area, type Rect } from "../../core/geometry.ts";
import type { Plane } from "../jpeg2000/codestream/index.ts";
import type { Description } from "./description.ts";
import type { FrameSamples } from "./job.ts";
import { countedOf, type StoredPart, storedValues, takeSamples } from "./stored.ts";

/**
 * Converts whole frames that a thread decoded to stored values; where bits were removed, the stored
 * bits are the lowest.
 */
export const partOf = (
  { bytes, bytesPerSample, planar }: FrameSamples,
  description: Description,
  { isCut }: { readonly isCut: boolean },
): StoredPart => {
  const { size, samples, photometric } = description;
  const count = area(size);
  const values = storedValues(description, count * samples);
  const allocated = bytesPerSample * 8;
  const bits = {
    ...description,
    allocated,
    ...(isCut && { shift: 0, stored: Math.min(description.stored, allocated) }),
  };
  if (bits.stored + bits.shift > allocated)
    fail(
      "unreadable",
      `Expected DICOM samples of ${description.stored} bits; ${allocated} are allocated.`,
    );
  const planes = planar ? samples : 1;
  for (let plane = 0; plane < planes; plane++)
    takeSamples(
      {
        bytes: bytes.subarray(plane * count * bytesPerSample),
        littleEndian: true,
        step: bytesPerSample,
      },
      bits,
      { into: values, at: plane, stride: planes, count: (count * samples) / planes },
    );
  return { ...size, channels: samples, values, photometric };
};

/** JPEG 2000 undoes its own colour transformation. */
export const partOfPlanes = (
  planes: readonly Plane[],
  description: Description,
  { region, transformed }: { readonly region: Rect; readonly transformed: boolean },
): StoredPart => {
  const { samples, photometric } = description;
  const count = region.width * region.height;
  const values = storedValues(description, count * samples);
  for (const [index, plane] of planes.entries()) {
    if (plane.samples.length !== count)
      fail("unreadable", "Expected one sample per pixel in a JPEG 2000 of the DICOM file.");
    // The sign may be lost in decoding: then the highest bit of the codestream's precision is it.
    const stored = plane.signed
      ? description.stored
      : Math.min(description.stored, plane.precision);
    const value = countedOf({ ...description, stored, shift: 0 });
    for (let at = 0; at < count; at++) values[at * samples + index] = value(plane.samples[at] ?? 0);
  }
  const isRgb = transformed || photometric === "YBR_RCT" || photometric === "YBR_ICT";
  return {
    width: region.width,
    height: region.height,
    channels: samples,
    values,
    photometric: samples === 3 && isRgb ? "RGB" : photometric,
  };
};

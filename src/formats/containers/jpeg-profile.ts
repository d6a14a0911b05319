import { markers, type Segment } from "./jpeg-segments.ts";

const mark = Buffer.from("ICC_PROFILE\0", "latin1");
/** Length of the marker, the length field, and the number and count of parts. */
const partAt = 4 + mark.length + 2;

/** The ICC profile of a JPEG's segments, with its parts in their stated order (ICC.1:2010, B.4). */
export const profileIn = (
  jpeg: Uint8Array,
  segments: readonly Segment[],
): Uint8Array | undefined => {
  const parts = segments
    .filter(({ marker }) => marker === markers.app2)
    .map(({ at, end }) => Buffer.from(jpeg.subarray(at, end)))
    .filter((part) => part.length > partAt && part.subarray(4).indexOf(mark) === 0)
    .sort((one, other) => (one[partAt - 2] ?? 0) - (other[partAt - 2] ?? 0));
  return parts.length === 0 ? undefined : Buffer.concat(parts.map((part) => part.subarray(partAt)));
};

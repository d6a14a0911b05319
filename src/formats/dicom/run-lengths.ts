import { fail } from "../../core/errors.ts";

const headerBytes = 64;
const maxSegments = 15;

/**
 * Decodes a run-length coded frame (PS3.5, annex G): a segment for each byte of each sample, most
 * significant first. Returns interleaved samples, little-endian. Throws `unreadable` where bytes
 * are missing.
 */
export const decodeRunLengths = (
  bytes: Uint8Array,
  {
    pixels,
    samples,
    bytesPerSample,
  }: { readonly pixels: number; readonly samples: number; readonly bytesPerSample: number },
): Uint8Array => {
  if (bytes.length < headerBytes)
    fail("unreadable", "Truncated header of a run-length coded DICOM frame.");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(0, true);
  const pixelBytes = samples * bytesPerSample;
  if (count !== pixelBytes || count > maxSegments)
    fail(
      "unreadable",
      `Expected ${pixelBytes} segments of a run-length coded DICOM frame, not ${count}.`,
    );
  const out = new Uint8Array(pixels * pixelBytes);
  for (let segment = 0; segment < count; segment++) {
    const from = view.getUint32(4 + segment * 4, true);
    const to = segment + 1 < count ? view.getUint32(8 + segment * 4, true) : bytes.length;
    if (from < headerBytes || to < from || to > bytes.length)
      fail("unreadable", "Segments of a run-length coded DICOM frame lie outside it.");
    const sample = Math.floor(segment / bytesPerSample);
    const byte = bytesPerSample - 1 - (segment % bytesPerSample);
    unpack(bytes.subarray(from, to), out, {
      first: sample * bytesPerSample + byte,
      step: pixelBytes,
    });
  }
  return out;
};

/** PackBits runs and literals. */
const unpack = (
  bytes: Uint8Array,
  out: Uint8Array,
  { first, step }: { readonly first: number; readonly step: number },
): void => {
  let from = 0;
  let at = first;
  const take = (count: number): Uint8Array => {
    from += count;
    return from <= bytes.length ? bytes.subarray(from - count, from) : tooShort();
  };
  while (at < out.length) {
    const [code = 0] = take(1);
    if (code === noOperation) continue;
    const isRun = code > noOperation;
    const count = isRun ? 257 - code : code + 1;
    const stored = take(isRun ? 1 : count);
    const end = Math.min(out.length, at + count * step);
    for (let index = 0; at < end; at += step, index++) out[at] = stored[isRun ? 0 : index] ?? 0;
  }
};

const noOperation = 128;

const tooShort = (): never => fail("unreadable", "Truncated run-length coded DICOM frame.");

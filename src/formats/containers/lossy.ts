/** Whether the first bytes of a WebP name lossless data (RIFF chunk `VP8L`). */
export const isLosslessWebp = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("VP8L", 12, "latin1");

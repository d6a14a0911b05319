/**
 * Sets the orientation of a classic TIFF's first page to upright, in place: libvips copies the
 * source's tag whatever metadata is dropped, and the pixels are already upright.
 */
export const setUpright = (file: Uint8Array): Uint8Array => {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const little = view.getUint16(0) === littleEndian;
  const directory = view.getUint32(4, little);
  const count = view.getUint16(directory, little);
  for (let n = 0; n < count; n++) {
    const entry = directory + 2 + n * entryBytes;
    if (view.getUint16(entry, little) === orientationTag) view.setUint16(entry + 8, 1, little);
  }
  return file;
};

/** "II", the mark of a little-endian file. */
const littleEndian = 0x4949;
const entryBytes = 12;
/** TIFF 6.0 §8, Orientation. */
const orientationTag = 274;

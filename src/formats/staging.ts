import { fail } from "../core/errors.ts";
import type { Encoder } from "./codec.ts";

/** Both sides of the tiles of a staged picture. */
const tile = 128;

/**
 * Lays a picture down as a TIFF of plain tiles in a file instead of giving its bytes, so that any part of it can
 * be read at once. libvips does that row by row, in little memory.
 */
export const stagingEncoder = (path: string): Encoder => ({
  async encode(image) {
    const plain = image.tiff({
      compression: "none",
      predictor: "none",
      tile: true,
      tileWidth: tile,
      tileHeight: tile,
      bigtiff: true,
    });
    try {
      await plain.toFile(path);
    } catch (error) {
      if (isFull(error))
        fail("internal", "There is no room on the disk for what has to be laid down.", error);
      throw error;
    }
    return new Uint8Array(0);
  },
});

const isFull = (error: unknown): boolean =>
  error instanceof Error && /no space left|file too large|quota/i.test(error.message);

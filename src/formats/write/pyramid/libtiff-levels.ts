import { fail } from "../../../core/errors.ts";
import {
  fieldBytes,
  fieldNumbers,
  openTiff,
  readDirectory,
  type TiffDirectory,
  type TiffLayout,
  type TiffSource,
} from "../../metadata/index.ts";
import { tags } from "../../tiff/structure/index.ts";
import type { WrittenLevel } from "./finishing.ts";

/** A page of tiles that libtiff has written. */
export interface LibtiffLevel extends WrittenLevel {
  /**
   * The tables shared by all its JPEG tiles (TIFF Technical Note 2); absent in other compressions.
   */
  readonly jpegTables: Uint8Array | undefined;
}

/** Every page of a tiled TIFF by libtiff; throws `internal` where it is not one. */
export const libtiffLevels = async (source: TiffSource): Promise<readonly LibtiffLevel[]> => {
  const layout = await openTiff(source);
  const levels: LibtiffLevel[] = [];
  for (let at = layout.first; at !== 0; ) {
    const directory = await readDirectory(layout, at);
    levels.push(await levelOf(layout, directory));
    at = directory.next;
  }
  return levels;
};

const levelOf = async (layout: TiffLayout, directory: TiffDirectory): Promise<LibtiffLevel> => {
  const numbers = async (tag: number): Promise<readonly number[]> =>
    (await fieldNumbers(layout, directory, tag)) ??
    fail("internal", `Expected libtiff to write field ${tag}; it did not.`);
  const [[width = 0], [height = 0]] = [
    await numbers(tags.imageWidth),
    await numbers(tags.imageLength),
  ];
  const tables = directory.fields.find(({ tag }) => tag === tags.jpegTables);
  return {
    size: { width, height },
    offsets: await numbers(tags.tileOffsets),
    lengths: await numbers(tags.tileByteCounts),
    jpegTables: tables && (await fieldBytes(layout, tables)),
  };
};

import { blockField, blockFields, type ComponentJob, type WindowJob } from "./job.ts";
import { styles } from "./segments.ts";

/**
 * Maximum number of blocks that may have to be decoded: all of a tile of 256 x 256 in three
 * components, about three milliseconds of work.
 */
export const maxCoded = 256;
/**
 * Maximum memory of the samples of all components together: with the margins of the wavelet, a tile
 * of 512 x 512 in three.
 */
const maxSampleBytes = 4_194_304;
/** Maximum bytes of all blocks. */
const maxCodedBytes = 4_194_304;

/** Memory that any quick job can be run in. */
export const workspaceBytes = 33_554_432;

/** Whether blocks of a style (table A.19) are so fast that a few hundred of them need no thread. */
export const areFast = (style: number): boolean =>
  (style & (styles.ht | styles.mixed)) === styles.ht;

/** Whether a job is quick enough to run synchronously. */
export const isQuick = ({ components, blocks, bytes }: WindowJob): boolean => {
  if (!components.every(({ style }) => areFast(style))) return false;
  if (components.reduce((sum, own) => sum + sampleBytesOf(own), 0) > maxSampleBytes) return false;
  if (bytes.length > maxCodedBytes) return false;
  let coded = 0;
  for (let at: number = blockField.isKept; at < blocks.length; at += blockFields)
    if (blocks[at] !== 1) coded++;
  return coded <= maxCoded;
};

/** Of a component, in whole vectors. */
const sampleBytesOf = ({ levels }: ComponentJob): number => {
  const { width, height } = levels.at(-1) ?? { width: 0, height: 0 };
  return ((width + 7) & ~7) * 4 * height;
};

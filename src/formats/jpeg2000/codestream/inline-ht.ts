import { blockField, blockFields, type ComponentJob, type WindowJob } from "./job.ts";
import { styles } from "./segments.ts";

/**
 * Maximum number of blocks that may have to be decoded: all of a tile of 256 x 256 in three
 * components, about three milliseconds of work.
 */
export const maxCoded = 256;
/** Of all components together: a tile of 512 x 512. */
const maxSamples = 786_432;

/** Whether blocks of a style (table A.19) are so fast that a few hundred of them need no thread. */
export const areFast = (style: number): boolean =>
  (style & (styles.ht | styles.mixed)) === styles.ht;

/** Whether a job is quick enough to run synchronously. */
export const isQuick = ({ components, blocks }: WindowJob): boolean => {
  if (!components.every(({ style }) => areFast(style))) return false;
  if (components.reduce((sum, own) => sum + samplesOf(own), 0) > maxSamples) return false;
  let coded = 0;
  for (let at: number = blockField.isKept; at < blocks.length; at += blockFields)
    if (blocks[at] !== 1) coded++;
  return coded <= maxCoded;
};

const samplesOf = ({ width, height }: ComponentJob): number => width * height;

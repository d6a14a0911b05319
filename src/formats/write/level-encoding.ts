/** The qualities of a pyramid's tiles in JPEG or WebP, 1 to 100. */
export interface LevelQualities {
  readonly quality: number;
  /**
   * Of the reduced levels, the largest first; the last one is that of all further levels. Absent:
   * `quality`.
   */
  readonly reducedQualities?: readonly number[] | undefined;
}

/** The quality of the tiles of a level, counted from 0, the full size. */
export const qualityOfLevel = (
  { quality, reducedQualities = [] }: LevelQualities,
  level: number,
): number => reducedQualities[Math.min(level, reducedQualities.length) - 1] ?? quality;

/** Quality from which JPEG tiles have chroma at full resolution, as libvips' do. */
const fullChroma = 90;

/** The chroma subsampling of JPEG tiles of a quality, 1 to 100. */
export const subsamplingOf = (quality: number): "4:2:0" | "4:4:4" =>
  quality < fullChroma ? "4:2:0" : "4:4:4";

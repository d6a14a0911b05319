/** What is known of an image format, without loading any codec. */
export interface FormatFacts {
  readonly name: string;
  /** The preferred one first; it is also how the Image API spells the format. */
  readonly extensions: readonly [string, ...string[]];
  /** The preferred one first. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** Whether the format can carry transparency. */
  readonly alpha: boolean;
  /** The most pixels either side of a written image may have. */
  readonly maxSide: number;
}

/**
 * The name of a format within this program, as in `jpg`. Which there are is for
 * `formats/registry.ts` to say.
 */
export type FormatName = string;

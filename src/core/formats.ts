/** Facts about an image format that need no codec. */
export interface FormatFacts {
  readonly name: string;
  /** Preferred one first; also the Image API's name of the format. */
  readonly extensions: readonly [string, ...string[]];
  /** Preferred one first. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** Whether the format can carry transparency. */
  readonly alpha: boolean;
  /** Maximum side of a written image in pixels. */
  readonly maxSide: number;
}

/** The name of a format within the program, as in `jpg`. `formats/registry.ts` lists them. */
export type FormatName = string;

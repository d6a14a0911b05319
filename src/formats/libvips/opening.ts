import sharp, { type Sharp, type SharpOptions } from "sharp";
import { checkLoader, type Loader, type VipsInput } from "./input.ts";

/** How libvips opens something. */
interface Opening {
  /** The format of the bytes; absent for plain pixels. */
  readonly as?: Loader;
  readonly options: SharpOptions;
  /** Time limit for all operations on it; 0 for none. */
  readonly seconds: number;
}

/**
 * Opens what libvips can read with the server's safety settings; decodes nothing yet. Throws
 * `unreadable` where the bytes are of another format.
 */
export const open = (input: VipsInput, { as, options, seconds }: Opening): Sharp => {
  if (as !== undefined && typeof input !== "string") checkLoader(as, input);
  return sharp(input, { failOn: "error", ...options }).timeout({ seconds });
};

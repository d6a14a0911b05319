import { hasTextAt, startsWithBytes } from "../containers/index.ts";
import { bareSyntax } from "./bare.ts";

/**
 * With a preamble, without one beginning with the meta information (PS3.10, 7.1), or a bare data
 * set.
 */
export const isDicom = (start: Buffer): boolean =>
  hasTextAt(start, 128, "DICM") ||
  (startsWithBytes(start, 2, 0) &&
    start[3] === 0 &&
    ["UL", "OB", "UI"].some((kind) => hasTextAt(start, 4, kind))) ||
  bareSyntax(start) !== undefined;

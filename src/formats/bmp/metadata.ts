import { bytesAt, keepBlock, type Scan } from "../metadata/index.ts";
import { headerBytes, readHeader } from "./header.ts";

/** Reads the profile of a BMP, which is the only metadata it can have. */
export const scanBmp = async (scan: Scan): Promise<void> => {
  const start = await bytesAt(scan, 0, Math.min(headerBytes, scan.size));
  const profile = start && readHeader(start).profile;
  if (profile !== undefined) await keepBlock(scan, "icc", profile);
};

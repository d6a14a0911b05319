import { createTileEncoder, loadTurbo } from "../../turbo/index.ts";
import type { Encode } from "./reconstruction.ts";

/** The JPEG encoder for pixels; undefined where there is none on this machine. */
export const loadEncoder = async (): Promise<Encode | undefined> => {
  const turbo = await loadTurbo();
  const encode = turbo && createTileEncoder(turbo);
  return encode && ((pixels, form) => encode(form, pixels));
};

import { ServerError } from "../../../core/errors.ts";

/** The error message for a tile that cannot be decoded. */
export const damaged = (cause: unknown): ServerError =>
  new ServerError("unreadable", "Corrupt TIFF tile.", { cause });

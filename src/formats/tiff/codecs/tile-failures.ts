import { ServerError } from "../../../core/errors.ts";

/** What is wrong where a tile cannot be decoded. */
export const damaged = (cause: unknown): ServerError =>
  new ServerError("unreadable", "Corrupt TIFF tile.", { cause });

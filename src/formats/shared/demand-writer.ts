import { fail } from "../../core/errors.ts";
import { type Lack, lackText, type npmPackage } from "./library.ts";

/**
 * Throws `unimplemented`, with what to install, where the package that writes a format is missing;
 * `title` is the format's display name.
 */
export const demandWriter = async (
  title: string,
  means: ReturnType<typeof npmPackage>,
): Promise<void> => {
  const found = await means.find();
  if ("lacks" in found) fail("unimplemented", unwritten(title, found.lacks));
};

/** Why a format is not written. */
export const unwritten = (title: string, lack: Lack): string =>
  `Cannot write ${title} here: ${lackText(lack)}.`;

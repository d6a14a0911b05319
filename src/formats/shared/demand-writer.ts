import { fail } from "../../core/errors.ts";
import { type FormatName, formats } from "../../core/formats.ts";
import { type Lack, lackText, type npmPackage } from "./means.ts";

/** Throws `unimplemented`, and says what there would have to be, where the package that writes a format is not installed. */
export const demandWriter = async (
  format: FormatName,
  means: ReturnType<typeof npmPackage>,
): Promise<void> => {
  const found = await means.find();
  if ("lacks" in found) fail("unimplemented", unwritten(format, found.lacks));
};

/** Why a format is not written. */
export const unwritten = (format: FormatName, lack: Lack): string =>
  `Expected a format that can be written here; for ${formats[format].name}, ${lackText(lack)}.`;

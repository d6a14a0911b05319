import { stat } from "node:fs/promises";
import { Command } from "@commander-js/extra-typings";
import { type Exit, type Terminal, UsageError } from "./command.ts";
import { byConfiguration } from "./configuration.ts";
import type { CommandInput } from "./input.ts";
import { configOption, identifierOption, jsonOption } from "./options.ts";

/** `vitrine inspect FILE`, or `--identifier ID`: what the server sees in an image. */
export const inspectCommand = (terminal: Terminal, exit: Exit) =>
  new Command("inspect")
    .summary("show what the server sees in an image file")
    .description(
      "Show what the server sees in an image file: format, pages, levels, tiles, colour, and metadata (Exif, IPTC, XMP, ICC and what only the format has). Damaged or oversized metadata is skipped and reported; long values are cut.",
    )
    .argument("[file]", "image file")
    .addOption(identifierOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `
The JSON holds everything uncut: { format, pages, metadata: { exif, iptc, xmp,
icc, native, problems }, source: { place, requested } }; rationals are
[numerator, denominator]. source is there with --identifier only.`,
    )
    .action(async (path, { identifier, config, json = false }) => {
      const input = await inputOf(path, { identifier, config });
      const { inspect } = await import("./inspect-file.ts");
      const code = await byConfiguration(config, terminal, (found) =>
        inspect(input, { config: found, terminal, asJson: json }),
      );
      exit(code);
    });

/** The input to inspect; throws unless there is exactly one. */
const inputOf = async (
  path: string | undefined,
  {
    identifier,
    config,
  }: { readonly identifier: string | undefined; readonly config: string | undefined },
): Promise<CommandInput> => {
  if (path !== undefined && identifier !== undefined)
    throw new UsageError("inspect: expected a file or --identifier ID, got both");
  if (identifier !== undefined) return { identifier, config };
  if (path === undefined) throw new UsageError("inspect: expected a file or --identifier ID");
  await checkFile(path);
  return { path };
};

const checkFile = async (path: string): Promise<void> => {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new UsageError(`inspect: there is no file '${path}'`);
  if (!found.isFile())
    throw new UsageError(`inspect: expected a file, but '${path}' is a folder or a device`);
};

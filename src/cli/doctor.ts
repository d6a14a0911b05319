import { stat } from "node:fs/promises";
import { Command } from "@commander-js/extra-typings";
import { type Exit, type Terminal, UsageError } from "./command.ts";
import { byConfiguration } from "./configuration.ts";
import { configOption, integer, jsonOption } from "./options.ts";

/** `vitrine doctor FOLDER`, or `--source`: examines a collection of images. */
export const doctorCommand = (terminal: Terminal, exit: Exit) =>
  new Command("doctor")
    .summary("find damaged and slow images in a collection")
    .usage("[options] <folder>\n       vitrine doctor [options] --source")
    .description(
      "Look through all images of a folder, or of the configured source: which are damaged or slow to zoom, which lack a profile or have a wrong extension, and what to do about it. Nothing is changed.",
    )
    .argument("[folder]", "folder of images; subfolders are included")
    .option("--source", "examine the configured source instead: a folder, S3 or Azure Storage")
    .addOption(configOption())
    .option("--quick", "read headers only: fast, but finds no damage in the pixels")
    .addOption(jsonOption())
    .option("--html <file>", "write a page with a table of all images to this file")
    .option("--journal <file>", "file that records the findings (default: in the cache folder)")
    .option("--fresh", "examine everything again, even unchanged files")
    .option("--workers <n>", "number of processes (default: one per processor)", integer(1, 64))
    .option("--timeout <s>", "time limit per image in seconds (default: 120)", integer(1, 86_400))
    .option(
      "--memory <MiB>",
      "memory limit per process, Linux only (default: 1024)",
      integer(256, 1_048_576),
    )
    .option("-q, --quiet", "show no progress")
    .addHelpText(
      "after",
      `
Each image is decoded once, in a separate process without access to credentials.
After an interruption, the same command continues where it stopped; later runs
examine only new and changed files. The exit code is 1 if images are damaged or
cannot be read.`,
    )
    .action(async (folder, options) => {
      const { source = false, config } = options;
      if ((folder === undefined) === !source)
        throw new UsageError(
          `doctor: expected a folder or --source${folder === undefined ? "" : ", got both"}`,
        );
      if (folder !== undefined) await checkFolder(folder);
      const { runDoctor } = await import("./doctor-run.ts");
      exit(
        await byConfiguration(config, terminal, (found) =>
          runDoctor({ ...options, folder }, found, terminal),
        ),
      );
    });

const checkFolder = async (folder: string): Promise<void> => {
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw new UsageError(`doctor: there is no folder '${folder}'`);
  if (!found.isDirectory())
    throw new UsageError(`doctor: expected a folder, but '${folder}' is a file`);
};

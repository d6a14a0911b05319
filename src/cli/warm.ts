import { Command } from "@commander-js/extra-typings";
import { type Exit, type Terminal, UsageError } from "./command.ts";
import { byConfiguration } from "./configuration.ts";
import { configOption, integer } from "./options.ts";
import { readHeaders, versionsIn, whatIn } from "./warm-options.ts";
import { warmAll } from "./warm-run.ts";

/** `vitrine warm`: fills caches with what viewers will request. */
export const warmCommand = (terminal: Terminal, exit: Exit) =>
  new Command("warm")
    .summary("fill caches and make pyramids in advance")
    .description(
      "Fill the caches in advance with what viewers request: those of a running server (--server), or the configured ones from this process. Takes identifiers, or one of --list, --folder and --all.",
    )
    .argument("[identifiers...]", "identifiers of images in the source (decoded)")
    .option("--list <file>", "file of identifiers, one per line; - for standard input")
    .option("--folder <path>", "the images in a folder of the source and its subfolders")
    .option("--all", "all images of the source")
    .option(
      "--what <kinds>",
      "any of info, thumbnails, levels, tiles and pyramids, separated by commas (default: info,thumbnails)",
      whatIn,
    )
    .option(
      "--thumbnail <size>",
      "size of thumbnails, or a request such as square/100,/0/default.jpg; may be repeated (default: !200,200)",
      (size: string, before: readonly string[] = []) => [...before, size],
    )
    .option(
      "--levels <n>",
      "with --what levels: number of levels, smallest first (default: 3)",
      integer(1, 32),
    )
    .option("--format <extension>", "format of tiles (default: the one that viewers choose)")
    .option(
      "--api <versions>",
      "versions of the Image API, as in 3,2 (default: all enabled ones for info, the latest for images)",
      versionsIn,
    )
    .option("--server <url>", "running server that gets the requests")
    .option("--header-file <file>", "file of request headers, one per line, as in 'Cookie: a=b'")
    .option("--header-env <name>", "environment variable with such headers")
    .option(
      "--concurrency <n>",
      "maximum concurrent requests (default: 4, without --server one per processor)",
      integer(1, 64),
    )
    .option("--resume <file>", "journal of finished images, which later runs skip")
    .option("--failures <file>", "write all failures to this file as lines of JSON; replaces it")
    .option("--dry-run", "request info.json only; count requests and estimate their size")
    .option("-q, --quiet", "show no progress")
    .addOption(configOption())
    .addHelpText(
      "after",
      `
Exits with 1 where something failed; the first failures are listed at the end.
An interrupted run continues with the same --resume FILE.`,
    )
    .action(async (identifiers, options) => {
      const { list, folder, all, server } = options;
      const named = [identifiers.length > 0, list, folder, all].filter(Boolean).length;
      if (named !== 1)
        throw new UsageError(
          `warm: expected identifiers, --list, --folder or --all, got ${named === 0 ? "none of them" : "more than one of them"}`,
        );
      if (server === undefined && (options.headerFile ?? options.headerEnv) !== undefined)
        throw new UsageError("warm: --header-file and --header-env need --server");
      const headers = await readHeaders(options);
      const job = { ...options, identifiers, headers, server: serverIn(server) };
      exit(await byConfiguration(options.config, terminal, (it) => warmAll(job, it, terminal)));
    });

const serverIn = (text: string | undefined): URL | undefined => {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.search)
    throw new UsageError(
      "warm: expected --server with an http or https URL without login and query, as in https://images.example.org",
    );
  return url;
};

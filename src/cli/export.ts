import { Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { factsOf, registry } from "../formats/registry.ts";
import { type Exit, type Terminal, UsageError } from "./command.ts";
import type { ExportInput, ExportOptions } from "./export-options.ts";
import { configOption, integer } from "./options.ts";

/** `vitrine export IN OUT`: images as static files. */
export const exportCommand = (terminal: Terminal, exit: Exit) =>
  new Command("export")
    .summary("write images as static files for any web server")
    .usage(
      "[options] <in> <out>\n       vitrine export [options] --identifier <id> <out>\n       vitrine export [options] --source <out>",
    )
    .description(
      "Write an image, a folder of images or the configured source as static files: the tiles, sizes and info.json of IIIF Image API level 0, for any web server or S3. Pictures are those that the server sends to everyone, with its watermarks and redactions; images that not everyone may see are left out.",
    )
    .argument("[in]", "image or folder to read; omit it with --identifier and --source")
    .argument("[out]", "folder, or s3://bucket/prefix, to write to")
    .requiredOption(
      "--base-url <url>",
      "public URL at which OUT will be served, as in https://example.org/iiif",
      baseUrl,
    )
    .addOption(
      new Option("-i, --identifier <id>", "image of the configured source (decoded)").conflicts(
        "source",
      ),
    )
    .option("--source", "all images of the configured source")
    .option("--folder <path>", "with --source: only the images in this folder of the source")
    .addOption(
      new Option("--api <version>", "version of the Image API (default: 3)").choices([
        "2",
        "3",
        "both",
      ]),
    )
    .option(
      "--tile <n>",
      "width and height of tiles, a multiple of 16 (default: 512)",
      integer(128, 4_096, { multipleOf: 16 }),
    )
    .option(
      "--format <list>",
      "file extensions, separated by commas, the preferred one first (default: jpg)",
      formats,
    )
    .option("--quality <n>", "quality of lossy formats (default: as configured)", integer(1, 100))
    .option(
      "--sizes <list>",
      "sizes of the whole image: longer sides in pixels, separated by commas (default: halvings up to 2048)",
      sizes,
    )
    .option(
      "--max-pixels <n>",
      "maximum pixels of the whole image; larger images are reduced (default: max_pixels, or 10 million)",
      integer(16_384, 1_000_000_000),
    )
    .option("--viewer", "add a page that lists and shows the images")
    .option("--manifest", "add a manifest of the IIIF Presentation API to each image")
    .option("--delete", "remove exported images that are no longer in the source")
    .option(
      "--cache-control <text>",
      "Cache-Control of images in S3 (default: public, max-age=86400)",
    )
    .option("--workers <n>", "images exported at the same time (default: 2)", integer(1, 64))
    .option("--temp <folder>", "folder for temporary files (default: in OUT; for S3, the system's)")
    .option("-q, --quiet", "show no progress")
    .addOption(configOption())
    .addHelpText(
      "after",
      `
Unchanged images are skipped, so the same command updates an export and continues
an interrupted one. info.json is written last, so an incomplete image is never
offered.

Each page is exported as an image: page 2 of book.pdf is in the folder 'book.pdf;2'.`,
    )
    .action(async (first, second, options) => {
      const { runExport } = await import("./export-run.ts");
      exit(await runExport({ ...inputOf(first, second, options), options }, terminal));
    });

type InputOptions = ExportOptions & {
  readonly identifier?: string | undefined;
  readonly source?: true | undefined;
};

/** Refuses options that exclude each other. */
const checkOptions = ({ source, folder, api, format, manifest }: InputOptions): void => {
  if (folder !== undefined && source !== true)
    throw new UsageError(
      "export: --folder needs --source; to export a local folder, pass it as IN",
    );
  const hasJpeg = format === undefined || format.includes("jpg");
  if (!hasJpeg && api !== undefined && api !== "3")
    throw new UsageError(
      "export: --api 2 and both need jpg in --format, because viewers of version 2 request only that",
    );
  if (!hasJpeg && manifest)
    throw new UsageError(
      "export: --manifest needs jpg in --format, because manifests link to JPEGs",
    );
};

const inputOf = (
  first: string | undefined,
  second: string | undefined,
  options: InputOptions,
): { readonly input: ExportInput; readonly out: string } => {
  checkOptions(options);
  const { identifier, source, folder } = options;
  if (identifier === undefined && source === undefined) {
    if (first === undefined || second === undefined)
      throw new UsageError(
        `export: missing required argument '${first === undefined ? "in" : "out"}'`,
      );
    return { input: { path: first }, out: second };
  }
  if (first === undefined || second !== undefined)
    throw new UsageError(
      "export: expected one argument, OUT, with --identifier and --source, not IN and OUT",
    );
  const input =
    identifier === undefined
      ? { folder: (folder ?? "").replace(/^\/+|\/+$/g, "") }
      : { identifier };
  return { input, out: first };
};

function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new InvalidArgumentError("Expected an http or https URL without query and fragment.");
  if (url.username !== "" || url.password !== "")
    throw new InvalidArgumentError("Expected a URL without user and password.");
  return url.href.replace(/\/+$/, "");
}

function formats(text: string): readonly [string, ...string[]] {
  const [first, ...others] = [...new Set(text.toLowerCase().split(","))].map((part) => part.trim());
  const named = new Map(
    registry
      .filter(({ facts }) => facts.maxSide > 0)
      .flatMap(({ name }) =>
        factsOf(name).extensions.map((one) => [one, factsOf(name).extensions[0]] as const),
      ),
  );
  const known = [first ?? "", ...others].map((one) => {
    const found = named.get(one);
    if (found === undefined)
      throw new InvalidArgumentError(
        `Expected some of ${[...new Set(named.values())].join(", ")}.`,
      );
    return found;
  });
  const [preferred = "jpg", ...rest] = known;
  return [preferred, ...rest];
}

function sizes(text: string): readonly number[] {
  return text.split(",").map(integer(16, 65_535));
}

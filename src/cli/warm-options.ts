import { readFile } from "node:fs/promises";
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { environment } from "../config/environment.ts";
import type { Version } from "../iiif/version.ts";
import { UsageError } from "./command.ts";
import { type WarmKind, warmKinds } from "./warming/work.ts";

/** The options of `vitrine warm`. */
export interface WarmJob {
  /** Those of the command line; empty where another option names the images. */
  readonly identifiers: readonly string[];
  readonly list?: string | undefined;
  readonly folder?: string | undefined;
  readonly all?: true | undefined;
  readonly what?: readonly WarmKind[] | undefined;
  readonly thumbnail?: readonly string[] | undefined;
  readonly levels?: number | undefined;
  readonly format?: string | undefined;
  readonly api?: readonly Version["number"][] | undefined;
  readonly server: URL | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly concurrency?: number | undefined;
  readonly resume?: string | undefined;
  readonly failures?: string | undefined;
  readonly dryRun?: true | undefined;
  readonly quiet?: true | undefined;
  readonly config?: string | undefined;
}

/** Parses `--what`. */
export const whatIn = (text: string): readonly WarmKind[] =>
  text.split(",").map((word) => {
    const kind = warmKinds.find((one) => one === word.trim());
    if (kind === undefined)
      throw new InvalidArgumentError(`Expected some of ${warmKinds.join(", ")}.`);
    return kind;
  });

/** Parses `--api`; the latest version comes first. */
export const versionsIn = (text: string): readonly Version["number"][] => {
  const versions = text.split(",").map((word) => {
    const version = ([3, 2, 1] as const).find((one) => String(one) === word.trim());
    if (version === undefined) throw new InvalidArgumentError("Expected some of 3, 2 and 1.");
    return version;
  });
  return [...new Set(versions)].sort((one, other) => other - one);
};

/** The request of a thumbnail; a size alone means the whole image at that size. */
export const thumbnailRequest = (text: string): string => {
  const request = text.includes("/") ? text : `full/${text}/0/default.jpg`;
  if (!/^[^/?#%\s]+\/[^/?#%\s]+\/[^/?#%\s]+\/[a-z]+\.[a-z0-9]+$/i.test(request))
    throw new UsageError(
      `warm: expected --thumbnail with a size such as !200,200 or with region/size/rotation/quality.format, got '${text}'`,
    );
  return request;
};

/** Maximum length of headers in bytes. */
const maxHeaders = 65_536;

/**
 * The headers in a file and in an environment variable, not on the command line, which all users
 * of the machine can see. Messages do not contain values.
 */
export const readHeaders = async ({
  headerFile,
  headerEnv,
}: {
  readonly headerFile?: string | undefined;
  readonly headerEnv?: string | undefined;
}): Promise<Readonly<Record<string, string>>> => ({
  ...(headerFile === undefined
    ? {}
    : headersIn(await contentOf(headerFile), `--header-file ${headerFile}`)),
  ...(headerEnv === undefined
    ? {}
    : headersIn(variable(headerEnv), `environment variable ${headerEnv}`)),
});

const contentOf = async (path: string): Promise<string> => {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`warm: --header-file ${path} cannot be read (${error.code})`);
  });
  if (text.length > maxHeaders)
    throw new UsageError(`warm: --header-file ${path} is longer than ${maxHeaders} characters`);
  return text;
};

const variable = (name: string): string => {
  const value = environment()[name];
  if (value === undefined)
    throw new UsageError(
      `warm: the environment variable ${name} of --header-env is not set; set it to lines of 'Name: value'`,
    );
  return value;
};

const headersIn = (text: string, where: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "")
      .map((line, index) => {
        const [, name, value] =
          /^([A-Za-z0-9!#$%&'*+\-.^_`|~]+):[ \t]*([\t\x20-\x7e\x80-\xff]+?)[ \t]*$/.exec(line) ??
          [];
        if (name === undefined || value === undefined)
          throw new UsageError(
            `warm: expected 'Name: value' in line ${index + 1} of ${where}, got something else`,
          );
        return [name.toLowerCase(), value];
      }),
  );

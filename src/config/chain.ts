import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fail } from "../core/errors.ts";
import { expandHome } from "./parse.ts";
import type { ConfigurationProblem } from "./problems.ts";
import {
  formatProperties,
  type Properties,
  parseProperties,
  type Setting,
  withEntry,
  withValue,
} from "./properties.ts";

/** One file of a chain. */
interface ChainFile {
  readonly path: string;
  readonly properties: Properties;
  /** Whether the file is UTF-8, so that writing it back preserves its bytes. */
  readonly writable: boolean;
}

/** A configuration file and those it extends, nearest first. */
export interface Chain {
  readonly files: readonly ChainFile[];
  /** The paths of all files, including unreadable ones. */
  readonly paths: readonly string[];
  readonly problems: readonly ConfigurationProblem[];
  /** Equal for equal content of the same files. */
  readonly digest: string;
}

/** That of no file. */
export const noChain: Chain = { files: [], paths: [], problems: [], digest: "" };

/** The position at which a chain sets a key. */
export type ChainSetting = Setting & { readonly file: string };

/**
 * Reads a file and those it extends: an absolute path, a path relative to the working folder, or a
 * bare name beside the file. A loop is cut and reported, as is an unreadable file.
 */
export const readChain = async (path: string): Promise<Chain> => {
  const files: ChainFile[] = [];
  const paths: string[] = [];
  const problems: ConfigurationProblem[] = [];
  const seen = new Set<string>();
  const digest = createHash("sha256");
  let next: string | undefined = resolve(path);
  let from: ChainSetting | undefined;
  while (next !== undefined) {
    const real: string = await realpath(next).catch(() => next ?? "");
    if (seen.has(real)) {
      problems.push(looping(next, from));
      break;
    }
    seen.add(real);
    paths.push(next);
    const content = await readWhole(next);
    digest.update(`${next}\0${content.ok ? "+" : "-"}`);
    if (!content.ok) {
      problems.push(unreadable(next, from, content.reason));
      break;
    }
    digest.update(content.bytes);
    const file = toFile(next, content.bytes);
    files.push(file);
    problems.push(...oddities(file));
    from = find({ files: [file] }, "extends");
    next = from === undefined || from.value === "" ? undefined : parentPath(from.value, next);
  }
  return { files, paths, problems, digest: digest.digest("hex") };
};

/**
 * The position at which the chain sets a key: in the first file that has it, even if it is empty
 * there.
 */
export const find = ({ files }: Pick<Chain, "files">, key: string): ChainSetting | undefined => {
  for (const { path, properties } of files) {
    const setting = properties.settings.get(key);
    if (setting) return { ...setting, file: path };
  }
  return undefined;
};

/** The chain's values, including empty ones: a file overrides those it extends. */
export const textsIn = ({ files }: Pick<Chain, "files">): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>();
  for (const { properties } of [...files].reverse())
    for (const [key, { value }] of properties.settings) texts.set(key, value);
  return texts;
};

/** The new text of one file. */
export interface Edit {
  readonly path: string;
  readonly text: string;
}

/**
 * The changed files' texts when keys get new values: every file that has a key gets its value, and
 * keys in no file are added to the first one. Throws `internal` where one is not UTF-8.
 */
export const editChain = (chain: Chain, values: ReadonlyMap<string, string>): readonly Edit[] => {
  const known = (key: string) => find(chain, key) !== undefined;
  return chain.files.flatMap(({ path, properties, writable }, index) => {
    let edited = properties;
    for (const [key, value] of values) {
      edited = withValue(edited, key, value);
      if (index === 0 && value !== "" && !known(key)) edited = withEntry(edited, key, value);
    }
    const text = formatProperties(edited);
    if (text === formatProperties(properties)) return [];
    if (!writable) fail("internal", "Cannot change a configuration file that is not in UTF-8.");
    return [{ path, text }];
  });
};

const parentPath = (name: string, child: string): string => {
  const expanded = expandHome(name);
  return expanded.includes("/") || expanded.includes("\\")
    ? resolve(expanded)
    : resolve(dirname(child), expanded);
};

type Content =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: string };

/** Maximum size of a configuration; a larger file must be something else. */
const largestFile = 4 * 2 ** 20;

const readWhole = async (path: string): Promise<Content> => {
  try {
    const facts = await stat(path);
    if (!facts.isFile()) return { ok: false, reason: "it is not a regular file" };
    if (facts.size > largestFile) return { ok: false, reason: "it is larger than 4 MB" };
    return { ok: true, bytes: await readFile(path) };
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    return { ok: false, reason: reasons[code] ?? code };
  }
};

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "it may not be read",
};

const toFile = (path: string, bytes: Buffer): ChainFile => {
  const text = bytes.toString("utf8");
  return {
    path,
    properties: parseProperties(text),
    writable: Buffer.from(text, "utf8").equals(bytes),
  };
};

const oddities = ({ path, properties, writable }: ChainFile): ConfigurationProblem[] => {
  const problems: ConfigurationProblem[] = properties.malformed.slice(0, maxLines).map((line) => ({
    severity: "warning",
    message: `Expected \`key = value\` or a comment; the line is skipped (${path}:${line}).`,
    origin: { layer: "file", file: path, line },
  }));
  if (properties.malformed.length > maxLines)
    problems.push({
      severity: "warning",
      message: `${properties.malformed.length - maxLines} more malformed lines of ${path} are skipped.`,
    });
  if (!writable)
    problems.push({
      severity: "warning",
      message: `Expected UTF-8 in ${path}; other bytes are read as "\uFFFD", and changes at run time are not written to it.`,
    });
  return problems;
};

/** Maximum number of malformed lines of a file that are reported one by one. */
const maxLines = 50;

const looping = (path: string, from: ChainSetting | undefined): ConfigurationProblem => ({
  severity: "warning",
  key: "extends",
  message: `extends: ${path} is already in the chain of files; the loop is cut${place(from)}.`,
});

const unreadable = (
  path: string,
  from: ChainSetting | undefined,
  reason: string,
): ConfigurationProblem => ({
  severity: "error",
  ...(from === undefined ? {} : { key: "extends" }),
  message: `${from === undefined ? "The configuration file" : "extends:"} ${path} cannot be read: ${reason}${place(from)}.`,
});

const place = (from: ChainSetting | undefined): string =>
  from === undefined ? "" : ` (${from.file}:${from.line})`;

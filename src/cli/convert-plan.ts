import { opendir, rm, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { found, isStaleTemporaryFile } from "../conversion/atomic-file.ts";
import type { FormatName } from "../core/formats.ts";
import { formatOfExtension } from "../formats/registry.ts";

/** An image in a folder, and its output. */
export interface Planned {
  readonly from: string;
  readonly to: string;
  /** Size of the image's file. */
  readonly bytes: number;
}

/** The work to do for a folder. */
export interface FolderPlan {
  readonly planned: readonly Planned[];
  /** Images whose output exists already. */
  readonly done: number;
  /** Those whose output is older than the image. */
  readonly outdated: readonly string[];
  /** Files that are not images, or of formats that cannot be read. */
  readonly others: number;
}

export interface FolderOptions {
  /** Formats that can be read; files are matched by extension. */
  readonly formats: ReadonlySet<FormatName>;
  /** File extension of the outputs, without its dot. */
  readonly extension: string;
  /** Whether existing outputs are made again. */
  readonly force: boolean;
  readonly signal: AbortSignal;
}

/**
 * Lists the images of a folder and its subfolders, with an output of the same relative path in the
 * folder `to`, and skips finished ones. Hidden files, symbolic links and `to` itself are skipped.
 * Two images that differ only in their extensions keep these in the names of their outputs.
 */
export const planFolder = async (
  from: string,
  to: string,
  { formats, extension, force, signal }: FolderOptions,
): Promise<FolderPlan> => {
  const names: string[] = [];
  let others = 0;
  for await (const name of filesIn(from, { except: resolve(to), signal })) {
    const format = formatOfExtension(extname(name).slice(1));
    if (format !== undefined && formats.has(format)) names.push(name);
    else others++;
  }
  const stems = counted(names.map((name) => stemOf(name).toLowerCase()));
  const planned: Planned[] = [];
  const outdated: string[] = [];
  let done = 0;
  for (const name of names.sort(byName)) {
    signal.throwIfAborted();
    const isAlone = stems.get(stemOf(name).toLowerCase()) === 1;
    const target = join(to, `${isAlone ? stemOf(name) : name}.${extension}`);
    const source = await stat(join(from, name));
    const there = force ? undefined : await found(target);
    if (there === undefined) {
      planned.push({ from: join(from, name), to: target, bytes: source.size });
      continue;
    }
    done++;
    if (Number(there.mtimeMs) < Math.floor(source.mtimeMs)) outdated.push(name);
  }
  return { planned, done, outdated, others };
};

/** Removes temporary files of killed processes from a folder. */
export const removeStaleFiles = async (folder: string, signal: AbortSignal): Promise<void> => {
  for await (const name of filesIn(folder, { hidden: true, signal }))
    if (isStaleTemporaryFile(name.slice(name.lastIndexOf("/") + 1)))
      await rm(join(folder, name), { force: true });
};

const stemOf = (name: string): string => name.slice(0, name.length - extname(name).length);

const counted = (names: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

const collator = new Intl.Collator("en", { numeric: true });
const byName = (one: string, other: string): number => collator.compare(one, other);

/**
 * The files of a folder and its subfolders, as relative paths; `hidden` are those whose names begin
 * with a dot.
 */
async function* filesIn(
  folder: string,
  {
    except,
    hidden = false,
    signal,
  }: { readonly except?: string; readonly hidden?: boolean; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  const folders = [""];
  for (let inside = folders.pop(); inside !== undefined; inside = folders.pop())
    for await (const entry of await opendir(join(folder, inside))) {
      signal.throwIfAborted();
      const path = `${inside}${entry.name}`;
      if (entry.isFile() && entry.name.startsWith(".") === hidden) yield path;
      if (entry.isDirectory() && !entry.name.startsWith(".") && resolve(folder, path) !== except)
        folders.push(`${path}/`);
    }
}

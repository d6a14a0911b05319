import { LRUCache } from "lru-cache";
import type { RequestContext } from "../core/context.ts";
import { ServerError } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { useReader } from "../core/range-reader.ts";
import type { Source, SourceObject } from "../core/source.ts";
import { maxSideFileBytes, type SideFile, sideFileNames } from "../presentation/side-file.ts";
import { parseSideFile } from "../presentation/side-file-parser.ts";

/** Reads what side files say of folders. */
export interface SideFiles {
  /**
   * The side file of a folder, by its path; empty where there is none. `names` are those that the
   * folder is known to have; absent where it was not listed. Throws what the source throws, but for
   * files that are missing or may not be read.
   */
  of(
    folder: string,
    context: Omit<RequestContext, "identifier">,
    names?: ReadonlySet<string>,
  ): Promise<SideFile>;
}

/** Maximum bytes of side files that are cached; parsed, they take several times as much memory. */
const maxCachedBytes = 8_388_608;

/** Bytes that a cached side file counts for beyond its own. */
const perFile = 1_024;

/**
 * Reads side files through the source, and caches them while they are unchanged. What is wrong with
 * a file is logged once for each of its versions; the rest of it counts.
 */
export const createSideFiles = (source: Pick<Source, "find">, log: Logger): SideFiles => {
  const parsed = new LRUCache<string, SideFile>({ maxSize: maxCachedBytes });

  const read = async (
    identifier: string,
    object: SourceObject,
    signal: AbortSignal,
  ): Promise<SideFile> => {
    const warn = (problem: string): void =>
      log.warn(`The side file '${identifier}' is faulty: ${problem}`, {
        ...(object.place === undefined ? {} : { file: object.place }),
      });
    if (object.size > maxSideFileBytes) {
      warn(`it has ${object.size} bytes, and is ignored; at most ${maxSideFileBytes} are read.`);
      return {};
    }
    const reader = await object.open(signal);
    const bytes = await useReader(reader, (opened) => opened.read(0, object.size, signal));
    const { file, faults } = parseSideFile(new TextDecoder().decode(bytes));
    if (faults.length > 0) warn(`these parts of it are ignored.\n${faults.join("\n")}`);
    return file;
  };

  return {
    async of(folder, context, names) {
      for (const name of sideFileNames) {
        if (names !== undefined && !names.has(name)) continue;
        const identifier = folder === "" ? name : `${folder}/${name}`;
        const object = await source.find(identifier, { ...context, identifier }).catch(unless);
        if (object === undefined) continue;
        const key = `${identifier}\0${object.version}`;
        const known = parsed.get(key);
        if (known) return known;
        const file = await read(identifier, object, context.signal);
        const size = perFile + Math.min(object.size, maxSideFileBytes);
        parsed.set(key, file, { size });
        return file;
      }
      return {};
    },
  };
};

/** Undefined for an object that is missing or may not be read; throws any other error. */
const unless = (error: unknown): undefined => {
  const failure = error instanceof ServerError ? error.failure : undefined;
  if (failure !== "missing" && failure !== "denied") throw error;
};

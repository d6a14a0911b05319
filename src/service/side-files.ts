import { LRUCache } from "lru-cache";
import type { RequestContext } from "../core/context.ts";
import { ServerError } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { useReader } from "../core/range-reader.ts";
import type { Source, SourceObject } from "../core/source.ts";
import { maxSideFileBytes, type SideFile, sideFileNames } from "../presentation/side-file.ts";
import { parseSideFile } from "../presentation/side-file-parser.ts";

/** Reads side files of folders. */
export interface SideFiles {
  /**
   * The side file of a folder, by its path; empty if there is none. `names` are the side files that
   * the folder is known to have; absent if it was not listed. Throws the source's failures, except
   * for files that are missing or may not be read.
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
 * Reads side files through the source and caches them while they are unchanged. Errors in a file
 * are logged once per version; its valid parts are used.
 */
export const createSideFiles = (source: Pick<Source, "find">, log: Logger): SideFiles => {
  const parsed = new LRUCache<string, SideFile>({ maxSize: maxCachedBytes });

  const read = async (
    identifier: string,
    object: SourceObject,
    signal: AbortSignal,
  ): Promise<SideFile> => {
    const warn = (problem: string): void =>
      log.warn(`The side file '${identifier}' has errors: ${problem}`, {
        ...(object.place === undefined ? {} : { file: object.place }),
      });
    if (object.size > maxSideFileBytes) {
      warn(
        `it is ignored, since its ${object.size} bytes exceed the limit of ${maxSideFileBytes}.`,
      );
      return {};
    }
    const reader = await object.open(signal);
    const bytes = await useReader(reader, (opened) => opened.read(0, object.size, signal));
    const { file, faults } = parseSideFile(new TextDecoder().decode(bytes));
    if (faults.length > 0) warn(`the following parts are ignored.\n${faults.join("\n")}`);
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

import { createReadStream } from "node:fs";
import { extname } from "node:path";
import type { Readable } from "node:stream";
import { unconstrained, writeIdentifier } from "../../core/identifier.ts";
import type { Source } from "../../core/source.ts";
import { formatOfExtension } from "../../formats/registry.ts";
import { walkSource } from "../../sources/walking.ts";
import { linesOf } from "./lines.ts";

/** The images to warm. */
export interface Identifiers {
  /** Their identifiers, decoded. */
  each(signal: AbortSignal): AsyncIterable<string>;
  /** Their number; counting may take as long as listing. */
  count(signal: AbortSignal): Promise<number>;
}

/** Maximum number of identifiers that are held in memory, from standard input. */
const maxHeld = 200_000;

/** The identifiers of a command line. */
export const givenIdentifiers = (identifiers: readonly string[]): Identifiers => ({
  async *each() {
    yield* identifiers;
  },
  count: async () => identifiers.length,
});

/** The identifiers in a file, one per line; empty lines are skipped. */
export const listedIdentifiers = (path: string): Identifiers => {
  const each = (): AsyncIterable<string> => namedIn(createReadStream(path));
  return { each, count: (signal) => counted(each(), signal) };
};

/** The identifiers on standard input, one per line; at most 200,000. */
export const readIdentifiers = async (input: Readable): Promise<Identifiers> => {
  const held: string[] = [];
  for await (const identifier of namedIn(input)) {
    if (held.length === maxHeld)
      throw new Error(
        `expected at most ${maxHeld} identifiers on standard input; use --list with a file`,
      );
    held.push(identifier);
  }
  return givenIdentifiers(held);
};

/**
 * The images of a source in a folder and the folders in it: the objects whose names end in the
 * extension of a known format, or have none.
 */
export const storedIdentifiers = (
  source: Source,
  folder: string,
  /** Separates the page in URLs; a name that itself ends like a page gets an explicit one. */
  delimiter: string,
): Identifiers => {
  async function* each(signal: AbortSignal): AsyncGenerator<string> {
    for await (const { name, identifier } of walkSource(source, { folder, signal }))
      if (mayBeImage(name))
        yield writeIdentifier({ identifier, page: 1, constraint: unconstrained }, delimiter);
  }
  return { each, count: (signal) => counted(each(signal), signal) };
};

async function* namedIn(stream: Readable): AsyncGenerator<string> {
  for await (const { text } of linesOf(stream)) if (text !== "") yield text;
}

const counted = async (all: AsyncIterable<string>, signal: AbortSignal): Promise<number> => {
  let count = 0;
  for await (const _ of all) {
    signal.throwIfAborted();
    count++;
  }
  return count;
};

const mayBeImage = (name: string): boolean => {
  const extension = extname(name);
  return extension === "" || formatOfExtension(extension.slice(1)) !== undefined;
};

import { environment } from "../config/environment.ts";
import { findConfig } from "../config/lookup.ts";
import { masked } from "../config/masked.ts";
import type { Config } from "../config/store.ts";
import { silent } from "../core/log.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { SourceObject, Traffic } from "../core/source.ts";
import { singleFile } from "../sources/file-reader.ts";
import { type Terminal, writeWarning } from "./command.ts";

/**
 * The input of a command: a file, or an image of the source in the configuration that the command
 * line names.
 */
export type CommandInput =
  | { readonly path: string }
  | { readonly identifier: string; readonly config?: string | undefined };

/** An input that can be read; `close` must be called. */
export interface OpenedInput {
  readonly reader: RangeReader;
  /** The location of a source's image, and the requests for it so far; absent for files. */
  readonly origin?: () => InputOrigin;
  close(): Promise<void>;
}

/** The location of a source's image. */
export interface InputOrigin {
  /** Without credentials; absent where the source does not say. */
  readonly place?: string;
  /** Absent for a local source. */
  readonly requested?: Traffic;
}

/** The name of an input, for messages. */
export const resolveName = (input: CommandInput): string =>
  "path" in input ? input.path : input.identifier;

/**
 * Opens a file, or an image of the configured source with its copies. Throws as the source does.
 */
export const openInput = async (
  input: CommandInput,
  config: Config,
  terminal: Terminal,
): Promise<OpenedInput> => {
  if ("path" in input) {
    const reader = await singleFile(input.path);
    return { reader, close: () => reader.close() };
  }
  const { identifier } = input;
  const { signal } = terminal;
  const warn = (message: string): void => writeWarning(terminal, message);
  // Loaded only by commands that read from a source.
  const { openSource } = await import("../app/source.ts");
  const env = environment();
  const place = { env, configuration: findConfig({ named: input.config, env }) };
  const opened = await openSource(config, { ...silent, warn, error: warn }, place);
  try {
    const object = await opened.source.find(identifier, {
      requestId: "command",
      identifier,
      signal,
    });
    const reader = await object.open(signal);
    return {
      reader,
      origin: () => originOf(object),
      async close() {
        await reader.close();
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
};

const originOf = ({ place, traffic }: SourceObject): InputOrigin => {
  const requested = traffic?.();
  return {
    ...(place === undefined ? {} : { place: masked(place) }),
    ...(requested ? { requested } : {}),
  };
};

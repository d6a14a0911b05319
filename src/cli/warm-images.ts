import { environment } from "../config/environment.ts";
import { findConfig } from "../config/lookup.ts";
import type { Config } from "../config/store.ts";
import { silent } from "../core/log.ts";
import { type Terminal, writeWarning } from "./command.ts";
import type { WarmJob } from "./warm-options.ts";
import { delimiterOf } from "./warm-target.ts";
import {
  givenIdentifiers,
  type Identifiers,
  listedIdentifiers,
  readIdentifiers,
  storedIdentifiers,
} from "./warming/identifiers.ts";

/** The images that a command line names; the configured source is opened where it is listed. */
export const openIdentifiers = async (
  { identifiers, list, folder, all, config: named }: WarmJob,
  config: Config,
  terminal: Terminal,
): Promise<{ readonly identifiers: Identifiers; readonly close: () => Promise<void> }> => {
  const close = async (): Promise<void> => {};
  if (list === "-" && terminal.input)
    return { identifiers: await readIdentifiers(terminal.input), close };
  if (list !== undefined) return { identifiers: listedIdentifiers(list), close };
  if (folder === undefined && !all) return { identifiers: givenIdentifiers(identifiers), close };
  const warn = (message: string): void => writeWarning(terminal, message);
  const { openSource } = await import("../app/source.ts");
  const env = environment();
  const place = { env, configuration: findConfig({ named, env }) };
  const { source, close: end } = await openSource(config, { ...silent, warn, error: warn }, place);
  const inside = (folder ?? "").replace(/^\/+|\/+$/g, "");
  return { identifiers: storedIdentifiers(source, inside, delimiterOf(config)), close: end };
};

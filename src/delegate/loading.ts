import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { expandHome } from "../config/parse.ts";
import type { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { type Logger, silent } from "../core/log.ts";
import { delegateKeys } from "./keys.ts";
import { checkLanguage, isRuby } from "./locate.ts";
import { readModule, UnloadableModule } from "./modules.ts";
import { RubyFailure } from "./ruby/failure.ts";
import { loadRuby, type RubySettings } from "./ruby/script.ts";
import type { AskWeb } from "./ruby/web.ts";
import { type Script, scriptOf } from "./script/script.ts";

/** A loaded delegate, with the absolute paths of its files. */
export interface LoadedScript {
  readonly script: Script;
  readonly files: readonly string[];
  /** Ends its thread, if it has one. */
  close?(): void;
}

/** A delegate that cannot be loaded, with its files as far as known. */
export class BrokenScript extends ServerError {
  readonly files: readonly string[];
  constructor(message: string, files: readonly string[], cause: unknown) {
    super("malformed", message, { cause });
    this.files = files;
  }
}

/**
 * The options of a Ruby delegate, as configured; `configuration` is the path of the file, and `web`
 * sends the script's HTTP requests.
 */
export const rubySettings = (
  config: Config,
  log: Logger = silent,
  configuration?: string,
  web?: AskWeb,
): RubySettings => {
  const settings = config.view(delegateKeys);
  const folder = configuration === undefined ? "." : dirname(resolve(configuration));
  return {
    seconds: () => settings()["delegate_script.timeout"],
    folders: settings()["delegate_script.ruby.paths"].map((path) =>
      resolve(folder, expandHome(path)),
    ),
    memory: settings()["delegate_script.ruby.memory"],
    threads: settings()["delegate_script.ruby.threads"],
    log,
    ...(web ? { web } : {}),
  };
};

/**
 * Loads the delegate of a file, regardless of earlier loads. Throws `malformed` with the file, the
 * line where known, and what is wrong.
 */
export const loadScript = async (path: string, ruby: RubySettings): Promise<LoadedScript> => {
  checkLanguage(path, "delegate");
  let files: readonly string[] = [path];
  try {
    if (isRuby(path)) return await withMetadata(await loadRuby(path, ruby));
    const read = await readModule(path);
    files = read.files;
    return await withMetadata({ script: scriptOf(read.exported), files });
  } catch (cause) {
    if (cause instanceof UnloadableModule) files = cause.files;
    else if (!(cause instanceof ServerError || cause instanceof RubyFailure)) throw cause;
    const name = cause instanceof RubyFailure ? `${cause.name}: ` : "";
    const message = name + (cause instanceof Error ? cause.message : String(cause));
    throw new BrokenScript(`The delegate ${path} cannot be loaded: ${message}.`, files, cause);
  }
};

const withMetadata = async (loaded: LoadedScript): Promise<LoadedScript> => ({
  ...loaded,
  script: { ...loaded.script, wantsMetadata: await mentionMetadata(loaded.files) },
});

/**
 * Whether one of the files contains the word, other than to define the method of that name:
 * otherwise no metadata need be read.
 */
const mentionMetadata = async (files: readonly string[]): Promise<boolean> => {
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (/metadata/i.test(text.replace(definition, ""))) return true;
  }
  return false;
};

/** The beginning of a line that defines the method, in JavaScript, TypeScript or Ruby. */
const definition = /^[\t ]*(?:(?:(?:public|async)[\t ]+)*metadata[\t ]*\(|def[\t ]+metadata\b)/gm;

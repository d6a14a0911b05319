import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Config } from "../config/store.ts";
import { Turns } from "../config/turns.ts";
import { watchFiles } from "../config/watch.ts";
import type { Delegate } from "../core/delegate.ts";
import { ServerError } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { delegateKeys } from "./keys.ts";
import { checkLanguage, locateScript, type Place } from "./locate.ts";
import { readModule, UnloadableModule } from "./modules.ts";
import { type Script, scriptOf } from "./script.ts";
import { ScriptSession } from "./session.ts";

/** The delegate of a configuration, which follows its files. */
export interface Delegates {
  readonly delegate: Delegate;
  /** Stops watching the files. */
  close(): void;
}

/** A delegate that was loaded, with the absolute paths of the files it is made of. */
export interface LoadedScript {
  readonly script: Script;
  readonly files: readonly string[];
}

/** Where the delegate is, and how long its files must rest before they are read again, in milliseconds; 200. */
export type DelegatePlace = Place & { readonly settleMs?: number };

/**
 * Loads the delegate that the configuration names, and again whenever its files change: requests under way keep the one they
 * began with, and one that cannot be loaded does not replace another. Undefined where there is none; fails as
 * `malformed` where there should be one and it cannot be loaded.
 */
export const createDelegate = async (
  config: Config,
  log: Logger,
  place: DelegatePlace,
): Promise<Delegates | undefined> => {
  const settings = config.view(delegateKeys);
  if (!settings()["delegate_script.enabled"]) return undefined;
  const path = await locateScript(settings()["delegate_script.pathname"], place);
  const seen = await hashesOf([path]);
  const first = await loadScript(path);
  let { script } = first;
  let hashes = await hashesOf(first.files, seen);
  warnOf(script, log);
  log.info("The delegate is loaded", { file: path, methods: [...script.methods.keys()] });

  const turns = new Turns();
  const watch = watchFiles(() => void turns.take(reload), place.settleMs ?? 200);
  const reload = async (): Promise<void> => {
    const now = await hashesOf([...hashes.keys()]);
    if ([...now].every(([file, hash]) => hashes.get(file) === hash)) return;
    let files: readonly string[] = [...now.keys()];
    try {
      const loaded = await loadScript(path);
      ({ script, files } = loaded);
      warnOf(script, log);
      log.info("The changed delegate is loaded", {
        file: path,
        methods: [...script.methods.keys()],
      });
    } catch (error) {
      // What it imports now may be what is broken.
      if (error instanceof BrokenScript) files = [...files, ...error.files];
      log.error("The changed delegate cannot be loaded; the one before stays", {
        file: path,
        err: error,
      });
    }
    hashes = await hashesOf(files, now);
    watch.follow([...hashes.keys()]);
  };
  watch.follow(first.files);
  // Catches what happened between the reading and the watching.
  void turns.take(reload);
  return {
    delegate: {
      session: (facts, { id, signal }) =>
        new ScriptSession({
          script,
          facts,
          id,
          signal,
          seconds: settings()["delegate_script.timeout"],
        }),
    },
    close: () => watch.close(),
  };
};

/** A delegate that cannot be loaded, with its files as far as they are known. */
class BrokenScript extends ServerError {
  readonly files: readonly string[];
  constructor(message: string, files: readonly string[], cause: unknown) {
    super("malformed", message, { cause });
    this.files = files;
  }
}

/** Loads the delegate of a file, whatever was loaded of it before. Fails as `malformed` with the file, the line where it is known, and what is wrong. */
export const loadScript = async (path: string): Promise<LoadedScript> => {
  checkLanguage(path, "delegate");
  let files: readonly string[] = [path];
  try {
    const read = await readModule(path);
    files = read.files;
    const script = scriptOf(read.exported);
    return { script: { ...script, wantsMetadata: await mentionMetadata(files) }, files };
  } catch (cause) {
    if (cause instanceof UnloadableModule) files = cause.files;
    else if (!(cause instanceof ServerError)) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new BrokenScript(`The delegate ${path} cannot be loaded: ${message}.`, files, cause);
  }
};

/** Whether one of the files has the word in it: of a delegate that has not, no metadata need be read. */
const mentionMetadata = async (files: readonly string[]): Promise<boolean> => {
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (/metadata/i.test(text)) return true;
  }
  return false;
};

const warnOf = ({ warnings }: Script, log: Logger): void => {
  for (const warning of warnings) log.warn(warning);
};

/** Hashes of what the files hold, by path, empty where there is none; for those that are known, what they were before. */
const hashesOf = async (
  files: readonly string[],
  known: ReadonlyMap<string, string> = new Map(),
): Promise<ReadonlyMap<string, string>> =>
  new Map(
    await Promise.all(
      files.map(async (file) => [file, known.get(file) ?? (await hashOf(file))] as const),
    ),
  );

const hashOf = async (file: string): Promise<string> => {
  const content = await readFile(file).catch(() => undefined);
  return content === undefined ? "" : createHash("sha256").update(content).digest("hex");
};

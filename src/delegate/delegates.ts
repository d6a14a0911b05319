import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { SerialQueue } from "../config/serial-queue.ts";
import type { Config } from "../config/store.ts";
import { watchFiles } from "../config/watch.ts";
import type { Delegate } from "../core/delegate.ts";
import type { Logger } from "../core/log.ts";
import { delegateKeys } from "./keys.ts";
import { BrokenScript, type LoadedScript, loadScript, rubySettings } from "./loading.ts";
import { type DelegatePath, locateScript } from "./locate.ts";
import type { AskWeb } from "./ruby/web.ts";
import type { Script } from "./script/script.ts";
import { ScriptSession } from "./session.ts";

/** The configured delegate, which is reloaded when its files change. */
export interface Delegates {
  readonly delegate: Delegate;
  /** Stops watching the files. */
  close(): void;
}

/**
 * Where the delegate is, and for how many milliseconds its files must be unchanged before they are
 * read again; 200.
 */
export type DelegatePlace = DelegatePath & {
  readonly settleMs?: number;
  /** Sends HTTP requests of Ruby scripts; absent: they cannot send any. */
  readonly web?: AskWeb;
};

/**
 * Loads the configured delegate, and again whenever its files change: requests in flight keep the
 * one they began with, and one that cannot be loaded does not replace another. Undefined where none
 * is enabled; throws `malformed` where it cannot be loaded.
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
  const ruby = rubySettings(config, log, place.configuration, place.web);
  let loaded = await loadScript(path, ruby);
  const first = loaded.files;
  const retired = new Retired();
  let isClosed = false;
  let hashes = await hashesOf(first, seen);
  warnOf(loaded.script, log);
  log.info("The delegate was loaded", { file: path, methods: methodsOf(loaded) });

  const turns = new SerialQueue();
  const watch = watchFiles(() => void turns.take(reload), place.settleMs ?? 200);
  const reload = async (): Promise<void> => {
    const now = await hashesOf([...hashes.keys()]);
    if ([...now].every(([file, hash]) => hashes.get(file) === hash)) return;
    let files: readonly string[] = [...now.keys()];
    try {
      const changed = await loadScript(path, ruby);
      if (isClosed) return changed.close?.();
      retired.add(loaded);
      loaded = changed;
      ({ files } = loaded);
      warnOf(loaded.script, log);
      log.info("The changed delegate was loaded", { file: path, methods: methodsOf(loaded) });
    } catch (error) {
      // What it imports now may be what is broken.
      if (error instanceof BrokenScript) files = [...files, ...error.files];
      log.error("The changed delegate cannot be loaded; the previous one stays in effect", {
        file: path,
        err: error,
      });
    }
    hashes = await hashesOf(files, now);
    watch.follow([...hashes.keys()]);
  };
  watch.follow(first);
  // Catches changes between reading and watching.
  void turns.take(reload);
  return {
    delegate: {
      session: (facts, request) =>
        new ScriptSession({
          script: loaded.script,
          facts,
          request,
          seconds: settings()["delegate_script.timeout"],
        }),
    },
    close() {
      watch.close();
      isClosed = true;
      retired.close();
      loaded.close?.();
    },
  };
};

const methodsOf = ({ script }: LoadedScript): readonly string[] => [...script.methods.keys()];

/** Replaced delegates. Requests in flight still call them, for a minute. */
class Retired {
  readonly #timers = new Map<LoadedScript, NodeJS.Timeout>();

  add(loaded: LoadedScript): void {
    if (loaded.close === undefined) return;
    const timer = setTimeout(() => {
      this.#timers.delete(loaded);
      loaded.close?.();
    }, lingerMs);
    this.#timers.set(loaded, timer.unref());
  }

  close(): void {
    for (const [loaded, timer] of this.#timers) {
      clearTimeout(timer);
      loaded.close?.();
    }
    this.#timers.clear();
  }
}

const lingerMs = 60_000;

const warnOf = ({ warnings }: Script, log: Logger): void => {
  for (const warning of warnings) log.warn(warning);
};

/**
 * Hashes of the files' content, by path, empty where there is none; known ones are kept as they
 * were.
 */
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

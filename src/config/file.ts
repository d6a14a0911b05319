import { type Logger, silent } from "../core/log.ts";
import { type Assessed, assess, type ChainLayers } from "./assess.ts";
import { type Chain, noChain, readChain, textsIn } from "./chain.ts";
import { type ChangeResult, type CheckedChanges, checkChanges } from "./changes.ts";
import type { KeyGroup } from "./keys.ts";
import { type Definitions, definitionsOf } from "./layers.ts";
import { type Lock, lockOf } from "./locks.ts";
import type { ConfigOptions } from "./options.ts";
import { logProblems } from "./problem-log.ts";
import {
  type ConfigurationProblem,
  type ProblemOrigin,
  type Problems,
  sorted,
} from "./problems.ts";
import { rewriteChain } from "./rewrite.ts";
import { RunningValues } from "./running.ts";
import { RuntimeChanges } from "./runtime-changes.ts";
import { SerialQueue } from "./serial-queue.ts";
import type { Config, Snapshot } from "./store.ts";
import { type FileWatch, watchFiles } from "./watch.ts";

/**
 * Reads a configuration and follows changes of its files. Never fails for their content: check
 * `running.errors` before using it, since a key with an invalid value has its default.
 */
export const loadConfig = async (options: ConfigOptions): Promise<ConfigFile> => {
  const { path, accepted } = options;
  const chain = accepted ?? (path === undefined ? noChain : await readChain(path));
  const file = new ConfigFile(options, chain);
  // Catches changes between reading and watching.
  await file.reload();
  return file;
};

/** A configuration with its files. */
export class ConfigFile {
  /** The running values, for the parts of the server. */
  readonly config: Config;
  readonly #running: RunningValues;
  readonly #options: ConfigOptions;
  readonly #definitions: Definitions;
  #log: Logger;
  readonly #watch: FileWatch | undefined;
  /** The files as last applied. */
  #chain: Chain;
  /** The content of the files as last seen, applied or not. */
  #digest: string;
  /** Remarks on the running configuration. */
  #problems: readonly ConfigurationProblem[];
  /** Faults of files that were too broken to apply. */
  #refused: readonly ConfigurationProblem[] | undefined;
  readonly #runtime = new RuntimeChanges();
  #writer: NodeJS.Timeout | undefined;
  #closed = false;
  /** Changes of another process that are not in the files yet. */
  #adopted: ReadonlyMap<string, string> = new Map();
  /** Reads and writes happen one after the other. */
  readonly #turns = new SerialQueue();

  constructor(options: ConfigOptions, chain: Chain) {
    this.#options = options;
    this.#definitions = definitionsOf(options.groups);
    this.#log = options.log ?? silent;
    this.#chain = chain;
    this.#digest = chain.digest;
    const { evaluated, problems } = this.#assess(chain);
    this.#problems = problems;
    this.#running = new RunningValues(evaluated);
    this.config = this.#running.config;
    if (options.path !== undefined) {
      this.#watch = watchFiles(() => this.#reloadOrLog(), options.settleMs ?? 200);
      this.#watch.follow(chain.paths);
    }
  }

  /** The running value of every key. */
  get snapshot(): Snapshot {
    return this.#running.snapshot;
  }

  /** Remarks on the files as they are now, even when they are too broken to apply. */
  get problems(): Problems {
    return sorted(this.#refused ?? this.#problems);
  }

  /** Remarks on the running configuration. */
  get running(): Problems {
    return sorted(this.#problems);
  }

  /** The files that were last applied. */
  get chain(): Chain {
    return this.#chain;
  }

  /** Keys whose new values need a restart. */
  get pending(): readonly string[] {
    return this.#running.pending;
  }

  /** The files read, the main one first; includes missing ones. */
  get files(): readonly string[] {
    return this.#chain.paths;
  }

  /** Every key, in the order of the manual. */
  get groups(): readonly KeyGroup[] {
    return this.#options.groups;
  }

  /** Changes at run time, as text, that the files as last read do not contain. */
  get runtime(): ReadonlyMap<string, string> {
    return this.#runtime.texts;
  }

  /** Keys whose changes still have to be written. */
  get unwritten(): readonly string[] {
    return this.#runtime.unwritten;
  }

  /** The value of a key after a restart. */
  settled(key: string): unknown {
    return this.#running.evaluated.values[key];
  }

  /** Why Cantaloupe's defaults apply, as a clause; undefined where they do not. */
  get compatible(): string | undefined {
    return this.#running.evaluated.compatible;
  }

  /** The origin of a key's value. */
  origin(key: string): ProblemOrigin {
    return this.#running.evaluated.origins.get(key) ?? { layer: "default" };
  }

  /**
   * Every key set in the files, as text, child over parent: without empty ones and without the
   * environment.
   */
  written(): Readonly<Record<string, string>> {
    const entries = new Map([...textsIn(this.#chain), ...this.runtime]);
    return Object.fromEntries([...entries].filter(([, value]) => value !== ""));
  }

  /** The faults of changes; none of them is applied. */
  faults(changes: Readonly<Record<string, unknown>>): readonly ConfigurationProblem[] {
    return this.#check(changes).problems;
  }

  #check(changes: Readonly<Record<string, unknown>>): CheckedChanges {
    return checkChanges(changes, {
      definitions: this.#definitions,
      layers: this.#layers(this.#chain, this.runtime),
      problems: this.#problems,
      lockOf: (key) => this.lockOf(key),
    });
  }

  /** Why a key cannot be changed at run time; undefined where it can. */
  lockOf(key: string): Lock | undefined {
    return lockOf(key, this.#definitions, this.snapshot);
  }

  /**
   * Changes keys at once, all or, if one is invalid, none; null or an empty text means the default.
   * The files follow a moment later.
   */
  set(changes: Readonly<Record<string, unknown>>): ChangeResult {
    const { problems, texts } = this.#check(changes);
    if (problems.length > 0) return { problems, pending: [], overridden: [] };
    this.#runtime.add(texts);
    this.#run(this.#assess(this.#chain));
    this.#scheduleWriting(this.#options.writeMs ?? usualWriteMs);
    const keys = [...texts.keys()];
    return {
      problems,
      pending: keys.filter((key) => this.pending.includes(key)),
      overridden: keys.filter((key) => this.origin(key).layer === "environment"),
    };
  }

  /**
   * Applies all run-time changes of the process that writes the files: new ones take effect at
   * once, and those no longer listed are in the files, which are read again.
   */
  async adopt(changes: ReadonlyMap<string, string>): Promise<void> {
    this.#adopted = changes;
    const isLess = [...this.runtime.keys()].some((key) => !changes.has(key));
    this.#hold(new Map([...this.runtime, ...changes]));
    if (!isLess) return;
    await this.reload();
    await this.#turns.take(async () => this.#hold(this.#adopted));
  }

  #hold(changes: ReadonlyMap<string, string>): void {
    this.#runtime.hold(changes);
    this.#run(this.#assess(this.#chain));
  }

  /** Calls `listener` whenever `runtime` changes; there is one listener. */
  onRuntime(listener: () => void): void {
    this.#runtime.onChange(listener);
  }

  /** Reports to this logger from now on, for loggers that are themselves configured here. */
  logTo(log: Logger): void {
    this.#log = log;
  }

  /** Checks the files now. */
  reload(): Promise<void> {
    return this.#turns.take(async () => {
      const { path } = this.#options;
      if (path === undefined) return;
      const chain = await readChain(path);
      this.#watch?.follow(chain.paths);
      if (chain.digest !== this.#digest) this.#take(chain);
    });
  }

  /**
   * Writes changes at run time to the files now; throws `internal` where that is impossible, and
   * tries again later.
   */
  async flush(): Promise<void> {
    clearTimeout(this.#writer);
    this.#writer = undefined;
    try {
      await this.#turns.take(() => this.#write());
    } catch (cause) {
      this.#scheduleWriting(retryMs);
      throw cause;
    }
  }

  /** Writes pending changes and stops watching. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#watch?.close();
    await this.#flushOrLog();
  }

  #layers(chain: Chain, runtime: ReadonlyMap<string, string>): ChainLayers {
    const { values = {}, env } = this.#options;
    return { given: values, chain, runtime, env };
  }

  #assess(chain: Chain, runtime = this.runtime): Assessed {
    return assess(this.#definitions, this.#layers(chain, runtime));
  }

  #run({ evaluated, problems }: Assessed): readonly string[] {
    this.#problems = problems;
    return this.#running.take(evaluated, this.#log);
  }

  /** Applies the current files, unless they are broken. */
  #take(chain: Chain): void {
    this.#digest = chain.digest;
    // Written changes belong to the file from here on, and whoever edits it may change them.
    const runtime = this.#runtime.left();
    const assessed = this.#assess(chain, runtime);
    if (!logProblems(assessed.problems, this.#refused ?? this.#problems, this.#log)) {
      this.#refused = assessed.problems;
      return;
    }
    this.#refused = undefined;
    this.#chain = chain;
    this.#runtime.leave(runtime);
    const changed = this.#run(assessed);
    this.#log.info("The changed configuration was applied.", { changed });
    if (this.pending.length > 0)
      this.#log.warn("Some changes need a restart.", { pending: this.pending });
  }

  #scheduleWriting(ms: number): void {
    if (this.#options.path === undefined || this.#writer !== undefined || this.#closed) return;
    this.#writer = setTimeout(() => {
      this.#writer = undefined;
      void this.#flushOrLog();
    }, ms);
  }

  async #write(): Promise<void> {
    const { path, follows } = this.#options;
    if (path === undefined || follows === true) return;
    const values = this.#runtime.toWrite();
    if (values.size === 0) return;
    // Concurrent changes by others are kept.
    const written = await rewriteChain(path, values);
    this.#runtime.wrote(values);
    if (written.digest !== this.#digest) this.#take(written);
  }

  async #flushOrLog(): Promise<void> {
    const told = "Changes of the configuration could not be written to its file.";
    await this.flush().catch((err: unknown) => this.#log.error(told, { err }));
  }

  #reloadOrLog(): void {
    const told = "The configuration could not be read again.";
    this.reload().catch((err: unknown) => this.#log.error(told, { err }));
  }
}

const usualWriteMs = 2_000;
/** Milliseconds until a file that could not be written is tried again. */
const retryMs = 30_000;

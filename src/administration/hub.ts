import type { Chain } from "../config/chain.ts";
import type { ConfigFile } from "../config/file.ts";
import type { Config } from "../config/store.ts";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { type Attempt, LoginThrottle } from "../core/login-throttle.ts";
import { productVersion } from "../core/product.ts";
import type { Traffic } from "../core/source.ts";
import type { Administration } from "./administration.ts";
import { createConfiguring } from "./configuring.ts";
import { taskKeys } from "./keys.ts";
import type { LogQuery } from "./log-entry.ts";
import type { LogTail } from "./log-tail.ts";
import { makeInOne } from "./makings.ts";
import type { HeldAmount, Member, ServedImage } from "./member.ts";
import { purgeEverywhere } from "./purges.ts";
import { listEverywhere } from "./pyramid-lists.ts";
import { distinct } from "./served-images.ts";
import { sessionKeys } from "./session-keys.ts";
import { Sessions } from "./sessions.ts";
import type { SourceStatus, Status } from "./status.ts";
import { cachesOf, lanesOf, sourcesOf } from "./summing.ts";
import { isMaking } from "./task.ts";
import { Tasks } from "./tasks.ts";
import { Ticking } from "./ticking.ts";
import { warningsOf } from "./warnings.ts";

/** Manages the whole server: one hub for all of its processes. */
export interface Hub extends Omit<Administration, "image"> {
  /** An image of each format that was read from each source, by whichever process. */
  served(): Promise<readonly ServedImage[]>;
  /** The sources as all processes see them. */
  sources(): Promise<readonly SourceStatus[]>;
  /**
   * The requests of all processes to the server of an image, in this version; undefined where there
   * were none.
   */
  traffic(identifier: string, version: string): Promise<Traffic | undefined>;
  /** An image's derivatives in the memory of all processes. */
  inMemory(identifier: string): Promise<HeldAmount>;
  /** Run-time changes that a joining process has to apply. */
  runtime(): Promise<ReadonlyMap<string, string>>;
  /** The configuration files as last applied, for a process that finds the current ones invalid. */
  accepted(): Promise<Chain | undefined>;
  /** Sends a process that has begun to serve what changed while it started. */
  greet(member: Member): Promise<void>;
  /** Aborts everything running. */
  close(): Promise<void>;
}

/** The part that a serving process can call. */
export type RemoteHub = Omit<Hub, "close" | "greet">;

/** The dependencies of the hub. */
export interface HubParts {
  /** The processes that currently serve. Their calls have deadlines of their own. */
  readonly members: () => readonly Member[];
  /** The intended number of processes. */
  readonly wanted: number;
  readonly config: Config;
  /** The configuration with its files; absent where it cannot be changed. */
  readonly file?: ConfigFile | undefined;
  readonly tail: LogTail;
  readonly log: Logger;
  /** Set where the only serving process is the one whose file this is. */
  readonly adopted?: true;
  /** Settings that do not fit the available memory, in sentences; default none. */
  readonly memoryWarnings?: () => readonly string[];
}

export const createHub = (parts: HubParts): Hub => {
  const { members, wanted, config, file, tail, log, adopted, memoryWarnings } = parts;
  const startedAt = new Date(Date.now() - process.uptime() * 1_000);
  const settings = config.view(taskKeys);
  const loginThrottle = new LoginThrottle();
  const sessions = new Sessions(config.view(sessionKeys));
  const ticking = new Ticking(members);
  let makings = 0;
  /** In turn, so that concurrent tasks that make pyramids do not wait for each other. */
  const maker = (): Member | undefined => members()[makings++ % Math.max(1, members().length)];
  const tasks = new Tasks({
    work: (task, tell, signal) =>
      isMaking(task.verb)
        ? makeInOne(maker(), task, tell, signal)
        : purgeEverywhere(members(), task, tell),
    max: () => settings()["endpoint.api.max_tasks"],
    log,
  });
  const configuring = file && createConfiguring(file, log);
  const changeable = (): NonNullable<typeof configuring> =>
    configuring ?? fail("unimplemented", "This server's settings cannot be changed at run time.");

  /** Sends run-time changes to all processes; those that do not apply them in time are logged. */
  const spread = async (): Promise<void> => {
    if (adopted) return;
    const runtime = file?.runtime ?? new Map();
    const outcomes = await Promise.allSettled(members().map((member) => member.adopt(runtime)));
    for (const outcome of outcomes)
      if (outcome.status === "rejected")
        log.warn("A worker did not apply a configuration change in time.", {
          error: outcome.reason,
        });
  };
  let spreading = Promise.resolve();
  file?.onRuntime(() => {
    spreading = spread();
  });

  return {
    async status(): Promise<Status> {
      const [workers, [formats = []]] = await Promise.all([
        settled(members().map((member, at) => member.status(at === 0))),
        settled(
          members()
            .slice(0, 1)
            .map((member) => member.formats()),
        ),
      ]);
      return {
        version: productVersion,
        startedAt,
        uptimeMs: Math.round(process.uptime() * 1_000),
        workers,
        workersWanted: wanted,
        lanes: lanesOf(workers),
        caches: cachesOf(workers),
        sources: sourcesOf(workers),
        formats,
        warnings: warningsOf({
          ...{ config, file, workers: workers.length, wanted },
          memory: memoryWarnings?.() ?? [],
        }),
      };
    },
    figures: () => ticking.figures(),
    begin: async (request) => tasks.begin(request),
    tasks: async () => tasks.list(),
    task: async (uuid) => tasks.get(uuid),
    cancel: async (uuid) => tasks.cancel(uuid),
    pyramids: (query) => listEverywhere(members(), query),
    configuration: async () => changeable().report(),
    written: async (how) => changeable().written(how),
    check: async (changes) => changeable().check(changes),
    change: async (changes) => changeable().change(changes, () => spreading),
    logs: async (query: LogQuery) => tail.find(query),
    admit: async (attempt: Attempt) => loginThrottle.admit(attempt),
    beginSession: async (fingerprint) => sessions.begin(fingerprint),
    session: async (claim) => sessions.find(claim),
    endSession: async (cookie) => sessions.end(cookie),
    served: async () =>
      distinct((await settled(members().map((member) => member.served()))).flat()),
    sources: async () => {
      const all = await settled(members().map((member) => member.sources()));
      return sourcesOf(all.map((sources) => ({ sources })));
    },
    async traffic(identifier, version) {
      const all = await settled(members().map((member) => member.traffic(identifier, version)));
      const told = all.filter((one) => one !== undefined);
      if (told.length === 0) return undefined;
      return {
        requests: told.reduce((sum, { requests }) => sum + requests, 0),
        bytes: told.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    },
    async inMemory(identifier) {
      const held = await settled(members().map((member) => member.inMemory(identifier)));
      return {
        entries: held.reduce((all, { entries }) => all + entries, 0),
        bytes: held.reduce((all, { bytes }) => all + bytes, 0),
      };
    },
    runtime: async () => file?.runtime ?? new Map(),
    accepted: async () => file?.chain,
    greet: async (member) =>
      member
        .adopt(file?.runtime ?? new Map())
        .catch((error: unknown) =>
          log.warn("A worker did not apply a configuration change in time.", { error }),
        ),
    async close() {
      ticking.close();
      file?.onRuntime(() => {});
      await tasks.close();
    },
  };
};

/** The fulfilled results; failed ones are left out. */
const settled = async <T>(answers: readonly Promise<T>[]): Promise<readonly T[]> =>
  (await Promise.allSettled(answers)).flatMap((outcome) =>
    outcome.status === "fulfilled" ? [outcome.value] : [],
  );

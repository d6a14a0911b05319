import cluster, { type Worker } from "node:cluster";
import type { Environment } from "../config/environment.ts";
import type { Logger } from "../core/log.ts";
import type { WorkerDeath } from "../service/quarantine.ts";
import { type FromSupervisor, type FromWorker, isFromWorker } from "./messages.ts";
import { deathOf, type End, Mourned } from "./mourned.ts";
import type { NoteFile } from "./notes.ts";
import { earlyDeaths, restartAfter } from "./restarts.ts";

/** What a supervisor goes by. */
export interface Supervision {
  readonly workers: number;
  /** The command line that makes a worker of this program. */
  readonly args: readonly string[];
  readonly env: Environment;
  /** Options of Node.js for workers, beside those that the supervisor has. */
  readonly nodeOptions: readonly string[];
  /** Seconds, as they are at the moment. */
  readonly settings: () => {
    readonly workerTimeout: number;
    readonly drainTimeout: number;
    /** What a worker that has drained may take to let go of what it has, its cache on a disk included. */
    readonly closing: number;
  };
  readonly log: Logger;
  /** Aborts when the server is to stop. */
  readonly signal: AbortSignal;
  /** Called once, with the addresses to open, when the first worker serves. */
  readonly serving: (addresses: readonly string[]) => void;
  /** Takes the log messages of a worker, by the worker's number. */
  readonly told: (worker: number, message: FromWorker) => void;
  /** Is told of workers as they come and go. */
  readonly relations: Relations;
  /** Where workers note what they may die of; absent: nowhere. */
  readonly notes?: NoteFile;
  /** Variables that hold a new worker to the addresses served before, for when no other is left. */
  readonly hold: (addresses: readonly string[]) => Environment;
}

/** What is told of workers, by their numbers. */
export interface Relations {
  /** A worker was started; `send` reaches it as long as it is there, and answers whether it does. */
  came(worker: number, send: (message: FromSupervisor) => boolean): void;
  /** It serves from now on. */
  serves(worker: number): void;
  gone(worker: number): void;
}

/** The variable that tells a worker how many there are. */
export const workerCountVariable = "VITRINE_WORKERS";

/** The variable that tells a worker its number, from 1; who replaces a worker has its number. */
export const workerNumberVariable = "VITRINE_WORKER";

/** The variable that tells a worker the descriptor of the file for its notes, where there is one. */
export const workerNotesVariable = "VITRINE_NOTES";

/** The descriptor that the file has in workers: the one after those of standard streams and messages. */
const notesDescriptor = 4;

/**
 * Keeps so many workers serving until the signal aborts: replaces those that end and those that
 * give no sign of life. Answers the exit code: 0 once stopped, 2 where the settings keep workers
 * from starting, 1 where they keep dying.
 */
export const supervise = (supervision: Supervision): Promise<0 | 1 | 2> =>
  new Promise((resolve) => new Supervisor(supervision, resolve).start());

/** A worker's place: workers come and go, the number stays. */
interface Seat {
  readonly number: number;
  worker?: Worker | undefined;
  serves: boolean;
  /** Whether it has spoken, and so listens. */
  listens: boolean;
  born: number;
  lastSign: number;
  early: number;
  /** It was killed for giving no sign of life. */
  hung: boolean;
  restart?: NodeJS.Timeout | undefined;
}

class Supervisor {
  readonly #parts: Supervision;
  readonly #finish: (code: 0 | 1 | 2) => void;
  readonly #seats: readonly Seat[];
  readonly #mourned = new Mourned();
  #addresses: readonly string[] | undefined;
  #held: Environment = {};
  #code: 0 | 1 | 2 | undefined;
  #lookedAt = 0;
  #looking: NodeJS.Timeout | undefined;

  constructor(parts: Supervision, finish: (code: 0 | 1 | 2) => void) {
    this.#parts = parts;
    this.#finish = finish;
    this.#seats = Array.from({ length: parts.workers }, (_, n) => ({
      number: n + 1,
      serves: false,
      listens: false,
      born: 0,
      lastSign: 0,
      early: 0,
      hung: false,
    }));
  }

  start(): void {
    const { args, nodeOptions, signal, notes } = this.#parts;
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({
      args: [...args],
      execArgv: [...process.execArgv, ...nodeOptions],
      serialization: "advanced",
      stdio: ["inherit", "inherit", "inherit", "ipc", ...(notes ? [notes.descriptor] : [])],
    });
    signal.addEventListener("abort", () => this.#stop(0), { once: true });
    this.#lookedAt = performance.now();
    this.#looking = setInterval(() => this.#look(), lookMs);
    // The others follow once it serves: what keeps one from serving would keep them all.
    const [first] = this.#seats;
    if (first && !signal.aborted) this.#fill(first);
    else this.#stop(0);
  }

  #fill(seat: Seat): void {
    const { env, workers, hold, notes } = this.#parts;
    seat.restart = undefined;
    const alone = this.#seats.every(({ worker }) => worker === undefined);
    if (alone && this.#addresses) this.#held = hold(this.#addresses);
    const worker = cluster.fork({
      ...env,
      ...this.#held,
      [workerCountVariable]: String(workers),
      [workerNumberVariable]: String(seat.number),
      ...(notes ? { [workerNotesVariable]: String(notesDescriptor) } : {}),
    });
    seat.worker = worker;
    seat.serves = seat.listens = seat.hung = false;
    seat.born = seat.lastSign = performance.now();
    this.#parts.relations.came(seat.number, (message) => tell(worker, message));
    worker.on("message", (message: unknown) => this.#hear(seat, message));
    // Said by `exit` too, which comes in any case.
    worker.on("error", () => {});
    worker.on("exit", (code, killed) => this.#ended(seat, { code, killed }));
  }

  #hear(seat: Seat, message: unknown): void {
    if (!isFromWorker(message)) return;
    seat.lastSign = performance.now();
    // Before it speaks it does not listen: what it was told would be lost.
    if (!seat.listens) this.#welcome(seat);
    if (message.kind === "alive") return;
    if (message.kind === "ready") this.#serves(seat, message.addresses);
    else if (message.kind === "lost")
      this.#spread(this.#mourned.add({ names: [message.name], isProof: true }), seat);
    else if (message.kind === "cleared" || message.kind === "cleared-of-all")
      this.#mourned.clear(message.name, { all: message.kind === "cleared-of-all" });
    else this.#parts.told(seat.number, message);
  }

  /** Tells a new worker what others died of. */
  #welcome(seat: Seat): void {
    seat.listens = true;
    const deaths = this.#mourned.all();
    if (seat.worker && deaths.length > 0) tell(seat.worker, { kind: "deaths", deaths });
  }

  #serves(seat: Seat, addresses: readonly string[]): void {
    seat.serves = true;
    if (this.#code !== undefined) return;
    this.#parts.relations.serves(seat.number);
    this.#parts.log.info("A worker serves", {
      worker: seat.number,
      pid: seat.worker?.process.pid,
    });
    if (this.#addresses) return;
    this.#addresses = addresses;
    this.#parts.serving(addresses);
    for (const other of this.#seats) if (!other.worker && !other.restart) this.#fill(other);
  }

  #ended(seat: Seat, { code, killed }: { readonly code: number; readonly killed: string }): void {
    const { log } = this.#parts;
    seat.worker = undefined;
    seat.serves = false;
    this.#parts.relations.gone(seat.number);
    if (this.#code !== undefined) {
      this.#finishWhenEmpty();
      return;
    }
    const how = killed ? { signal: killed } : { code };
    if (!this.#addresses && code === badlyConfigured) {
      this.#stop(2);
      return;
    }
    this.#mourn(seat, { code: killed ? null : code, signal: killed || null, hung: seat.hung });
    seat.early = earlyDeaths(seat.early, performance.now() - seat.born);
    const othersServe = this.#seats.some(({ serves }) => serves);
    const restart = restartAfter(seat.early, { othersServe });
    if (restart === "give up") {
      log.error(
        `Workers die as soon as they start, ${seat.early} times in a row: the server gives up. What they last said, or their exit, tells why.`,
        { worker: seat.number, ...how },
      );
      this.#stop(1);
      return;
    }
    log.error("A worker ended and is replaced", { worker: seat.number, ...how, ...restart });
    seat.restart = setTimeout(() => this.#fill(seat), restart.afterMs);
  }

  /** Tells all others what a worker was doing when it died. */
  #mourn({ number }: Seat, end: End): void {
    const noted = this.#parts.notes?.take(number) ?? [];
    const death = deathOf(noted, end);
    if (death === undefined) return;
    this.#parts.log.warn("A worker ended while it was reading pictures", {
      worker: number,
      pictures: [...new Set(noted.map(({ identifier }) => identifier))],
    });
    this.#spread(this.#mourned.add(death));
  }

  /** Tells all but who told of it. */
  #spread(death: WorkerDeath, from?: Seat): void {
    for (const seat of this.#seats)
      if (seat !== from && seat.worker && seat.listens)
        tell(seat.worker, { kind: "deaths", deaths: [death] });
  }

  /** Kills workers that have not been heard of for too long. */
  #look(): void {
    const now = performance.now();
    // Whoever was asleep himself cannot say who else was silent.
    const slept = now - this.#lookedAt > lookMs * 5;
    this.#lookedAt = now;
    const { workerTimeout } = this.#parts.settings();
    for (const seat of this.#seats) {
      if (slept) seat.lastSign = now;
      const patience = seat.serves ? workerTimeout : Math.max(workerTimeout, startSeconds);
      const silent = (now - seat.lastSign) / 1000;
      if (!seat.worker || silent <= patience) continue;
      this.#parts.log.error("A worker gives no sign of life and is killed", {
        worker: seat.number,
        pid: seat.worker.process.pid,
        seconds: Math.floor(silent),
      });
      seat.lastSign = now;
      seat.hung = true;
      seat.worker.process.kill("SIGKILL");
    }
  }

  #stop(code: 0 | 1 | 2): void {
    if (this.#code !== undefined) return;
    this.#code = code;
    for (const { worker, restart, serves } of this.#seats) {
      clearTimeout(restart);
      // Who is still starting does not listen to messages yet.
      if (!serves) worker?.process.kill("SIGTERM");
      else if (worker) tell(worker, { kind: "stop" });
    }
    const { drainTimeout, closing } = this.#parts.settings();
    const most = drainTimeout + closing + lastWordsSeconds;
    setTimeout(() => {
      for (const { worker } of this.#seats) worker?.process.kill("SIGKILL");
    }, most * 1000).unref();
    this.#finishWhenEmpty();
  }

  #finishWhenEmpty(): void {
    if (this.#code === undefined || this.#seats.some(({ worker }) => worker)) return;
    clearInterval(this.#looking);
    this.#finish(this.#code);
  }
}

/** Tells a worker something; whether it is there. One that is gone has its exit told of. */
const tell = (worker: Worker, message: FromSupervisor): boolean => {
  if (!worker.isConnected()) return false;
  worker.send(message, () => {});
  return true;
};

/** How often workers are looked at, in milliseconds. */
const lookMs = 500;

/** Seconds a worker may take to start. */
const startSeconds = 60;

/** Seconds that a worker has beyond the time for draining and closing. */
const lastWordsSeconds = 5;

/** The exit code of a worker whose settings cannot be followed. */
const badlyConfigured = 2;

import type { Socket } from "node:net";
import { loggedInSum } from "../core/log-summary.ts";
import type { WorkerCrash } from "../service/quarantine.ts";
import { CrashLog, crashOf, type End } from "./crash-log.ts";
import { Handover, type Receiver } from "./handover.ts";
import { type AboutConnections, isAboutConnections, isFromWorker } from "./messages.ts";
import { earlyDeaths, restartAfter } from "./restarts.ts";
import type { Ports, Supervision } from "./supervision.ts";
import type { WorkerProcess } from "./worker-process.ts";
import { workerCountVariable, workerNumberVariable } from "./worker-variables.ts";

/**
 * Keeps so many workers serving until the signal aborts: hands connections to them, and replaces
 * those that end or miss their heartbeats. Returns the exit code: 0 once stopped, 2 where the
 * settings keep workers from starting, 1 where they keep dying. Rejects with the reason why the
 * ports cannot be opened.
 */
export const supervise = (supervision: Supervision): Promise<0 | 1 | 2> =>
  new Promise((resolve, reject) => new Supervisor(supervision, { resolve, reject }).start());

/** The result, once every worker has ended. */
interface ExitPromise {
  readonly resolve: (code: 0 | 1 | 2) => void;
  readonly reject: (error: unknown) => void;
}

/** Workers come and go; their seat's number stays. */
interface Seat {
  readonly number: number;
  worker?: Worker | undefined;
  /** Number of its workers' consecutive early deaths. */
  early: number;
  restart?: NodeJS.Timeout | undefined;
}

interface Worker {
  readonly process: WorkerProcess;
  readonly born: number;
  lastSign: number;
  /** Whether it has sent a message, and so listens. */
  listens: boolean;
  /** Its seat in the handover, as long as it serves. */
  place?: Receiver | undefined;
  /** It was killed for missing heartbeats. */
  hung: boolean;
}

class Supervisor {
  readonly #parts: Supervision;
  readonly #outcome: ExitPromise;
  readonly #now: () => number;
  readonly #seats: readonly Seat[];
  readonly #crashLog = new CrashLog();
  readonly #handover: Handover<Socket>;
  #ports: "closed" | "opening" | Ports = "closed";
  /** Set once the server is shutting down. */
  #finish: (() => void) | undefined;
  #lookedAt = 0;
  #looking: NodeJS.Timeout | undefined;

  constructor(parts: Supervision, outcome: ExitPromise) {
    this.#parts = parts;
    this.#outcome = outcome;
    this.#now = parts.now ?? (() => performance.now());
    this.#seats = Array.from({ length: parts.workers }, (_, n) => ({ number: n + 1, early: 0 }));
    this.#handover = new Handover({
      max: parts.maxWaiting,
      now: this.#now,
      closed: loggedInSum((counts) =>
        parts.log.warn("Connections were closed that no worker accepted in time", counts),
      ),
    });
  }

  start(): void {
    const { signal } = this.#parts;
    signal.addEventListener("abort", () => this.#stop(0), { once: true });
    this.#lookedAt = this.#now();
    this.#looking = setInterval(() => this.#look(), lookMs);
    // The others follow once it serves: what keeps one from serving would keep them all.
    const [first] = this.#seats;
    if (first && !signal.aborted) this.#fill(first);
    else this.#stop(0);
  }

  #fill(seat: Seat): void {
    const { env, workers, start, relations } = this.#parts;
    seat.restart = undefined;
    const variables = {
      ...env,
      [workerCountVariable]: String(workers),
      [workerNumberVariable]: String(seat.number),
    };
    const process = start(variables, {
      heard: (message) => this.#hear(seat, worker, message),
      // Only now is it certain which connections it has accepted.
      parted: () => worker.place?.gone(),
      ended: (code, signal) => this.#ended(seat, worker, { code, signal, hung: worker.hung }),
    });
    const now = this.#now();
    const worker: Worker = { process, born: now, lastSign: now, listens: false, hung: false };
    seat.worker = worker;
    relations.came(seat.number, (message) => process.tell(message));
  }

  #hear(seat: Seat, worker: Worker, message: unknown): void {
    if (!isFromWorker(message)) return;
    // Calls of a dead worker do not concern its replacement.
    if (seat.worker !== worker && (message.kind === "call" || message.kind === "answer")) return;
    worker.lastSign = this.#now();
    // Before its first message it does not listen: messages to it would be lost.
    if (!worker.listens) this.#welcome(worker);
    if (message.kind === "ready") this.#serves(seat, worker);
    else if (isAboutConnections(message)) answer(worker.place, message);
    else if (message.kind === "lost")
      this.#spread(this.#crashLog.add({ names: [message.name], isProof: true }), worker);
    else if (message.kind === "cleared" || message.kind === "cleared-of-all")
      this.#crashLog.clear(message.name, { all: message.kind === "cleared-of-all" });
    else this.#parts.told(seat.number, message);
  }

  /** Reports past crashes to a new worker. */
  #welcome(worker: Worker): void {
    worker.listens = true;
    const deaths = this.#crashLog.all();
    if (deaths.length > 0) worker.process.tell({ kind: "deaths", deaths });
  }

  #serves(seat: Seat, worker: Worker): void {
    if (this.#finish) return;
    worker.place = this.#handover.join({
      hand: (connection, about, failed) => worker.process.hand(connection, about, failed),
      ask: (id) => void worker.process.tell({ kind: "asked", id }),
      release: (connections) => void worker.process.tell({ kind: "release", connections }),
      deaf: () => this.#replace(seat, worker),
    });
    this.#parts.relations.serves(seat.number);
    this.#parts.log.info("A worker serves", { worker: seat.number, pid: worker.process.pid });
    if (this.#ports === "closed") void this.#open();
  }

  /** Opens the ports, and fills the other seats. */
  async #open(): Promise<void> {
    this.#ports = "opening";
    try {
      const ports = await this.#parts.open((connection, scheme) =>
        this.#handover.arrive(connection, scheme),
      );
      this.#ports = ports;
      if (this.#finish) {
        ports.close();
        return;
      }
      this.#parts.serving(ports.addresses);
      for (const seat of this.#seats) if (!seat.worker && !seat.restart) this.#fill(seat);
    } catch (error) {
      this.#stop(() => this.#outcome.reject(error));
    }
  }

  #ended(seat: Seat, worker: Worker, end: End): void {
    worker.place?.leave();
    seat.worker = undefined;
    this.#parts.relations.gone(seat.number);
    // Once a worker has served, settings that are invalid for the next one end only that one.
    const isHopeless = this.#ports === "closed" && end.code === badlyConfigured;
    if (this.#finish) this.#finishWhenEmpty();
    else if (isHopeless) this.#stop(2);
    else this.#restart(seat, worker, end);
  }

  #restart(seat: Seat, worker: Worker, end: End): void {
    const { log } = this.#parts;
    const how = end.signal === null ? { code: end.code } : { signal: end.signal };
    this.#recordCrash(seat, end);
    seat.early = earlyDeaths(seat.early, this.#now() - worker.born);
    const othersServe = this.#seats.some((other) => other.worker?.place);
    const restart = restartAfter(seat.early, { othersServe });
    if (restart === "give up") {
      log.error(
        `Workers crash as soon as they start, ${seat.early} times in a row: the server gives up. Their last log entries or exit codes tell why.`,
        { worker: seat.number, ...how },
      );
      this.#stop(1);
      return;
    }
    log.error("A worker ended and is being replaced", { worker: seat.number, ...how, ...restart });
    seat.restart = setTimeout(() => this.#fill(seat), restart.afterMs);
  }

  /** Reports to all others what a worker was doing when it died. */
  #recordCrash({ number }: Seat, end: End): void {
    const noted = this.#parts.notes?.take(number) ?? [];
    const death = crashOf(noted, end);
    if (death === undefined) return;
    this.#parts.log.warn("A worker ended while it was reading images", {
      worker: number,
      pictures: [...new Set(noted.map(({ identifier }) => identifier))],
    });
    this.#spread(this.#crashLog.add(death));
  }

  /** Sends to all but the sender. */
  #spread(death: WorkerCrash, from?: Worker): void {
    for (const { worker } of this.#seats)
      if (worker?.listens && worker !== from)
        worker.process.tell({ kind: "deaths", deaths: [death] });
  }

  /** Makes a worker that cannot be handed connections shut down within a few seconds. */
  #replace({ number }: Seat, { process }: Worker): void {
    this.#parts.log.error(
      "A worker has no file descriptor left for a connection: another worker gets it, and the worker is replaced",
      { worker: number, pid: process.pid },
    );
    process.tell({ kind: "stop" });
    setTimeout(() => process.kill("SIGKILL"), deafSeconds * 1_000).unref();
  }

  /** Kills workers whose heartbeats have been missing for too long. */
  #look(): void {
    const now = this.#now();
    // After being suspended itself, the supervisor cannot tell who was silent.
    const slept = now - this.#lookedAt > lookMs * 5;
    this.#lookedAt = now;
    this.#handover.look();
    const { workerTimeout } = this.#parts.settings();
    for (const { number, worker } of this.#seats) {
      if (worker === undefined) continue;
      if (slept) worker.lastSign = now;
      const patience = worker.place ? workerTimeout : Math.max(workerTimeout, startSeconds);
      const silent = (now - worker.lastSign) / 1000;
      if (silent <= patience) continue;
      this.#parts.log.error("A worker is unresponsive and is killed", {
        worker: number,
        pid: worker.process.pid,
        seconds: Math.floor(silent),
      });
      worker.lastSign = now;
      worker.hung = true;
      worker.process.kill("SIGKILL");
    }
  }

  /** Shuts down all workers; then exits with the code, or as told. */
  #stop(end: 0 | 1 | 2 | (() => void)): void {
    if (this.#finish) return;
    this.#finish = typeof end === "number" ? () => this.#outcome.resolve(end) : end;
    if (typeof this.#ports === "object") this.#ports.close();
    this.#handover.close();
    for (const { worker, restart } of this.#seats) {
      clearTimeout(restart);
      // A starting worker does not listen to messages yet.
      if (worker?.place) worker.process.tell({ kind: "stop" });
      else worker?.process.kill("SIGTERM");
    }
    const { drainTimeout, closing } = this.#parts.settings();
    const max = drainTimeout + closing + lastWordsSeconds;
    setTimeout(() => {
      for (const { worker } of this.#seats) worker?.process.kill("SIGKILL");
    }, max * 1000).unref();
    this.#finishWhenEmpty();
  }

  #finishWhenEmpty(): void {
    if (this.#finish === undefined || this.#seats.some(({ worker }) => worker)) return;
    clearInterval(this.#looking);
    this.#finish();
  }
}

const answer = (place: Receiver | undefined, message: AboutConnections): void => {
  if (message.kind === "alive") place?.counted(message.open);
  else if (message.kind === "leaving") place?.leave();
  else if (message.kind === "taken") place?.taken(message.id, message.open);
  else place?.[message.kind](message.id);
};

/** Interval of checking workers in milliseconds. */
const lookMs = 500;

/** Seconds a worker has to start. */
const startSeconds = 60;

/** Seconds a worker has to finish once it is out of file descriptors. */
const deafSeconds = 5;

/** Seconds a worker has beyond the time for draining and closing. */
const lastWordsSeconds = 5;

/** The exit code of a worker with invalid settings. */
const badlyConfigured = 2;

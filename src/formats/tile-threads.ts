import type { Worker } from "node:worker_threads";
import { ServerError } from "../core/errors.ts";
import { area } from "../core/geometry.ts";
import { loadNative } from "../core/native.ts";
import { startThread } from "../core/thread.ts";
import type { SampleJob } from "./sample-job.ts";
import { createTileDecoder } from "./tile-decode.ts";
import { createTileEncoder, drawScaled, drawTiles, type TileTools } from "./tile-drawing.ts";
import { damaged } from "./tile-failures.ts";
import type { ScaleJob, TileAnswer, TileJob, TileRequest } from "./tile-job.ts";
import { createTileScaler } from "./tile-scaling.ts";
import { loadTurbo } from "./turbo.ts";
import { Turn } from "./turn.ts";

/** How many threads draw tiles, and how long one tile may take them. */
export interface TileThreadLimits {
  /** At least 1. */
  readonly threads: number;
  readonly ms: number;
  /** Whether tiles may be decoded in native code, read once. */
  readonly native: boolean;
  /** By how much the threads give way to others, as Linux' nice values have it: 0 to 19. */
  readonly niceness?: number;
}

/** Draws tiles, all but small ones away from the event loop, where that can be done here at all. */
export interface TileThreads {
  /** Whether there is an encoder for them on this machine. */
  available(): Promise<boolean>;
  /** The JPEG of a job; throws `unreadable` where a tile is damaged, `late` past the limit. */
  draw(job: TileJob | ScaleJob, signal: AbortSignal): Promise<Uint8Array>;
  /** As `draw`, of a job so small that nobody need wait for it; undefined for others, and where a tile is damaged. */
  drawAtOnce(job: TileJob | ScaleJob): Uint8Array | undefined;
  /** The samples of a tile; throws `unreadable` where it is damaged, `late` past the limit. Its bytes are used up. */
  decode(job: SampleJob, signal: AbortSignal): Promise<Uint8Array>;
  /** Ends the threads; what they have under way fails. */
  close(): Promise<void>;
}

interface Task {
  readonly job: TileRequest["job"];
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** A task more than it works on keeps a thread from waiting for the event loop. */
const tasksPerThread = 2;

/**
 * Pictures of tiles that have no more pixels than this in sum are drawn on the calling thread: a
 * tile of 256 x 256 takes about half a millisecond, as much as sending it to a thread and back costs.
 */
const mostHere = 65_536;

/** As `mostHere`, where all that a thread would spare is the time of others: one tile of 512 x 512. */
const mostAtOnce = 262_144;

/** Milliseconds of one turn of the event loop that may go into drawing; who comes then waits for a thread. */
const mostOfTurn = 10;

/** A handful of threads that start with the first tile and stay. */
export const createTileThreads = (limits: () => TileThreadLimits): TileThreads => {
  const threads = new Set<Thread>();
  const waiting = new Set<Task>();
  let known: Promise<boolean> | undefined;
  let here: TileTools | undefined;
  const turn = new Turn(mostOfTurn);

  const prepare = async (): Promise<boolean> => {
    const turbo = await loadTurbo();
    if (turbo === undefined) return false;
    const native = limits().native ? loadNative() : undefined;
    const decoder = await createTileDecoder({ turbo, native });
    here = { encode: createTileEncoder(turbo), decoder, scaler: await createTileScaler() };
    return true;
  };

  const drawHere = (job: TileJob, tools: TileTools): Uint8Array => {
    try {
      return drawTiles(job, tools);
    } catch (error) {
      throw damaged(error);
    }
  };

  const idlest = (): Thread | undefined => {
    let best: Thread | undefined;
    for (const thread of threads)
      if (thread.tasks.size < (best?.tasks.size ?? tasksPerThread)) best = thread;
    return best;
  };

  const next = (): void => {
    for (const task of waiting) {
      let thread = idlest();
      if ((thread === undefined || thread.tasks.size > 0) && threads.size < limits().threads) {
        thread = new Thread(limits(), next, () => {
          if (thread) threads.delete(thread);
          next();
        });
        threads.add(thread);
      }
      if (thread === undefined) return;
      waiting.delete(task);
      thread.give(task);
    }
  };

  const run = (job: Task["job"], signal: AbortSignal): Promise<Uint8Array> => {
    signal.throwIfAborted();
    return new Promise<Uint8Array>((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(task);
        reject(signal.reason);
      };
      const task: Task = {
        job,
        resolve: (bytes) => {
          signal.removeEventListener("abort", leave);
          resolve(bytes);
        },
        reject: (error) => {
          signal.removeEventListener("abort", leave);
          reject(error);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.add(task);
      next();
    });
  };

  return {
    available() {
      known ??= prepare();
      return known;
    },
    async draw(job, signal) {
      if (here === undefined || "level" in job || pixelsOf(job) > mostHere) return run(job, signal);
      signal.throwIfAborted();
      return drawHere(job, here);
    },
    drawAtOnce(job) {
      if (here === undefined || pixelsOf(job) > mostAtOnce || !turn.hasTime()) return undefined;
      const tools = here;
      return turn.spend(() => {
        try {
          return "level" in job ? drawScaled(job, tools) : drawTiles(job, tools);
        } catch {
          // Drawn once more, it will be said what is wrong with it.
          return undefined;
        }
      });
    },

    decode: run,

    async close() {
      for (const task of waiting) task.reject(closing());
      waiting.clear();
      await Promise.all([...threads].map((thread) => thread.end(closing())));
    },
  };
};

const pixelsOf = (job: TileJob | ScaleJob): number =>
  "level" in job ? job.across.count * job.down.count : job.tiles.length * area(job.tile);

const closing = (): ServerError => new ServerError("aborted", "The server is closing.");

/** One thread and the tasks it has. */
class Thread {
  readonly tasks = new Map<number, Task>();
  readonly #worker: Worker;
  readonly #ms: number;
  readonly #onRoom: () => void;
  readonly #onEnd: () => void;
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    { ms, native, niceness = 0 }: TileThreadLimits,
    onRoom: () => void,
    onEnd: () => void,
  ) {
    this.#ms = ms;
    this.#onRoom = onRoom;
    this.#onEnd = onEnd;
    this.#worker = startThread(new URL("./tile-worker", import.meta.url), { native, niceness });
    this.#worker.on("message", (answer: TileAnswer) => this.#take(answer));
    this.#worker.on("error", (error) => this.end(broken(error)));
    this.#worker.on("exit", () => this.end(broken("it ended")));
    this.#worker.unref();
  }

  give(task: Task): void {
    // Work in hand keeps the process alive; a thread alone does not.
    if (this.tasks.size === 0) this.#worker.ref();
    const request: TileRequest = { id: ++this.#last, job: task.job };
    this.tasks.set(request.id, task);
    this.#watch();
    const pieces = "tiles" in task.job ? task.job.tiles : [task.job];
    // Tiles that were read together share their memory.
    const memories = new Set(pieces.map(({ bytes }) => bytes.buffer as ArrayBuffer));
    // What has no bytes stands for a tile that is decoded already, and may be in other jobs, too.
    const sent = [...memories].filter(({ byteLength }) => byteLength > 0);
    this.#worker.postMessage(request, sent);
  }

  async end(reason: ServerError): Promise<void> {
    const tasks = [...this.tasks.values()];
    this.tasks.clear();
    clearTimeout(this.#timer);
    this.#onEnd();
    for (const task of tasks) task.reject(reason);
    await this.#worker.terminate();
  }

  #take({ id, bytes, damage }: TileAnswer): void {
    const task = this.tasks.get(id);
    if (task === undefined) return;
    this.tasks.delete(id);
    this.#watch();
    if (this.tasks.size === 0) this.#worker.unref();
    this.#onRoom();
    if (bytes !== undefined) task.resolve(bytes);
    else task.reject(damaged(new Error(damage)));
  }

  /** From one answer to the next, a thread has its time; one that takes longer is given up. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.tasks.size === 0) return;
    this.#timer = setTimeout(
      () => this.end(new ServerError("late", "Drawing a tile took longer than it may.")),
      this.#ms,
    ).unref();
  }
}

const broken = (cause: unknown): ServerError =>
  new ServerError("internal", "A thread that draws tiles broke down.", { cause });

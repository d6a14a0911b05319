import { ServerError } from "../../core/errors.ts";
import { area } from "../../core/geometry.ts";
import { createPool, type MemoryReservations, residentMemory } from "../pool/index.ts";
import { InlineTime } from "../shared/index.ts";
import { createTileDecoder, damaged, type SampleJob } from "../tiff/codecs/index.ts";
import { createTileEncoder, loadTurbo } from "../turbo/index.ts";
import { drawScaled, drawTiles, type TileTools } from "./tile-drawing.ts";
import type { ScaleJob, ThreadJob, TileJob } from "./tile-job.ts";
import { createTileScaler } from "./tile-scaling.ts";

/** Number of threads that render tiles, and time limit of one tile. */
export interface TileThreadLimits {
  /** At least 1. */
  readonly threads: number;
  readonly ms: number;
  /** Linux nice value of the threads: 0 to 19. */
  readonly niceness?: number;
  /** Memory of an idle thread in bytes; that of rendering is counted separately. */
  readonly reservedBytes?: number;
}

/** Renders tiles, all but small ones away from the event loop, where an encoder is available. */
export interface TileThreads {
  /** Whether an encoder is available on this machine. */
  available(): Promise<boolean>;
  /** As `available`, where that is known; undefined where it has to be checked. */
  isAvailable?(): boolean | undefined;
  /** The JPEG of a job; throws `unreadable` where a tile is corrupt, `late` past the time limit. */
  draw(job: TileJob | ScaleJob, signal: AbortSignal): Promise<Uint8Array>;
  /**
   * As `draw`, synchronously for a small job; undefined for others, and where the event loop's turn
   * has no time left.
   */
  drawSync(job: TileJob | ScaleJob): Uint8Array | undefined;
  /**
   * Memory for the bytes of a tile that is then rendered synchronously; valid only until the next
   * call of any of these.
   */
  room(length: number): Uint8Array;
  /**
   * The samples of a tile; throws `unreadable` where it is corrupt, `late` past the time limit.
   * Takes over its bytes.
   */
  decode(job: SampleJob, signal: AbortSignal): Promise<Uint8Array>;
  /** Ends the threads; running jobs fail. */
  close(): Promise<void>;
}

/**
 * Maximum pixels, in tiles, of an image rendered on the calling thread: a tile of 256 x 256 takes
 * about half a millisecond, as much as a round trip to a thread costs.
 */
const maxHere = 65_536;

/** As `maxHere`, where a thread would only spare others' time: one tile of 512 x 512. */
const maxAtOnce = 262_144;

/**
 * Milliseconds of one turn of the event loop that may be spent on rendering; later requests wait
 * for a thread.
 */
export const maxInlineMs = 10;

/**
 * A few threads that start with the first tile and stay; `turn` has the time budget of synchronous
 * work.
 */
export const createTileThreads = (
  limits: () => TileThreadLimits,
  turn: InlineTime = new InlineTime(maxInlineMs),
  reservations?: MemoryReservations,
): TileThreads => {
  const { run, close } = createPool<ThreadJob, Uint8Array>(
    () => {
      const now = limits();
      return { ...now, ...residentMemory(now) };
    },
    {
      reservations,
      isFirstReserved: true,
      module: new URL("./tile-worker", import.meta.url),
      jobsPerThread: 2,
      transfer: memoryOf,
      failures: { late, broken, damaged },
    },
  );
  let known: Promise<boolean> | undefined;
  let isKnown: boolean | undefined;
  let here: TileTools | undefined;

  const prepare = async (): Promise<boolean> => {
    const turbo = await loadTurbo();
    if (turbo !== undefined) {
      const decoder = await createTileDecoder(turbo);
      here = { encode: createTileEncoder(turbo), decoder, scaler: await createTileScaler() };
    }
    isKnown = turbo !== undefined;
    return isKnown;
  };

  const drawHere = (job: TileJob | ScaleJob, tools: TileTools): Uint8Array => {
    try {
      return "level" in job ? drawScaled(job, tools) : drawTiles(job, tools);
    } catch (error) {
      throw damaged(error);
    }
  };

  return {
    available() {
      known ??= prepare();
      return known;
    },
    isAvailable: () => isKnown,
    async draw(job, signal) {
      if (here === undefined || "level" in job || pixelsOf(job) > maxHere)
        return run(job.isShared ? withOwnBytes(job) : job, signal);
      signal.throwIfAborted();
      return drawHere(job, here);
    },
    drawSync(job) {
      if (here === undefined || pixelsOf(job) > maxAtOnce || !turn.hasTime()) return undefined;
      const tools = here;
      return turn.spend(() => drawHere(job, tools));
    },
    room: (length) => here?.decoder.room(length) ?? new Uint8Array(length),
    decode: run,
    close,
  };
};

/** A job whose memory can be transferred. */
export const withOwnBytes = <Job extends TileJob | ScaleJob>(job: Job): Job => ({
  ...job,
  tiles: job.tiles.map((tile) => ({ ...tile, bytes: new Uint8Array(tile.bytes) })),
});

const pixelsOf = (job: TileJob | ScaleJob): number =>
  "level" in job ? job.across.count * job.down.count : job.tiles.length * area(job.tile);

const memoryOf = (job: ThreadJob): readonly ArrayBuffer[] => {
  const pieces = "tiles" in job ? job.tiles : [job];
  // Tiles that were read together share their memory.
  const memories = new Set(pieces.map(({ bytes }) => bytes.buffer as ArrayBuffer));
  // A tile without bytes is decoded already, and may be in other jobs, too.
  return [...memories].filter(({ byteLength }) => byteLength > 0);
};

const late = (): ServerError => new ServerError("late", "Rendering a tile took too long.");

const broken = (cause: unknown): ServerError =>
  new ServerError("internal", "A thread that renders tiles crashed.", { cause });

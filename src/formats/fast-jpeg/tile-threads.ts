import { ServerError } from "../../core/errors.ts";
import { area } from "../../core/geometry.ts";
import { createPool, type MemoryReservations, residentMemory } from "../pool/index.ts";
import { InlineTime } from "../shared/index.ts";
import { createTileDecoder, damaged, type SampleJob } from "../tiff/codecs/index.ts";
import { createTileEncoder, loadTurbo } from "../turbo/index.ts";
import { drawScaled, drawTiles, type TileTools } from "./tile-drawing.ts";
import type { ScaleJob, ThreadJob, TileJob } from "./tile-job.ts";
import { createTileScaler } from "./tile-scaling.ts";

/** How many threads draw tiles, and how long one tile may take them. */
export interface TileThreadLimits {
  /** At least 1. */
  readonly threads: number;
  readonly ms: number;
  /** By how much the threads give way to others, as Linux' nice values have it: 0 to 19. */
  readonly niceness?: number;
  /**
   * What a thread takes while it has nothing to do, in bytes; what drawing takes beside that is
   * counted as such.
   */
  readonly reservedBytes?: number;
}

/** Draws tiles, all but small ones away from the event loop, where that can be done here at all. */
export interface TileThreads {
  /** Whether there is an encoder for them on this machine. */
  available(): Promise<boolean>;
  /** As `available`, where that is known; undefined where it has to be found out. */
  isAvailable?(): boolean | undefined;
  /** The JPEG of a job; throws `unreadable` where a tile is damaged, `late` past the limit. */
  draw(job: TileJob | ScaleJob, signal: AbortSignal): Promise<Uint8Array>;
  /**
   * As `draw`, of a job so small that nobody need wait for it; undefined for others, and where the
   * turn has no time left.
   */
  drawSync(job: TileJob | ScaleJob): Uint8Array | undefined;
  /**
   * Room for so many bytes of a tile that is then drawn at once; only until the next call of any of
   * these.
   */
  room(length: number): Uint8Array;
  /**
   * The samples of a tile; throws `unreadable` where it is damaged, `late` past the limit. Its
   * bytes are used up.
   */
  decode(job: SampleJob, signal: AbortSignal): Promise<Uint8Array>;
  /** Ends the threads; what they have under way fails. */
  close(): Promise<void>;
}

/**
 * Images of tiles that have no more pixels than this in sum are drawn on the calling thread: a
 * tile of 256 x 256 takes about half a millisecond, as much as sending it to a thread and back
 * costs.
 */
const maxHere = 65_536;

/**
 * As `maxHere`, where all that a thread would spare is the time of others: one tile of 512 x 512.
 */
const maxAtOnce = 262_144;

/**
 * Milliseconds of one turn of the event loop that may go into drawing; who comes then waits for a
 * thread.
 */
export const maxInlineMs = 10;

/**
 * A handful of threads that start with the first tile and stay; `turn` has the time for what is
 * drawn at once.
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

/** A job whose memory can be given away. */
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
  // What has no bytes stands for a tile that is decoded already, and may be in other jobs, too.
  return [...memories].filter(({ byteLength }) => byteLength > 0);
};

const late = (): ServerError => new ServerError("late", "Drawing a tile took longer than it may.");

const broken = (cause: unknown): ServerError =>
  new ServerError("internal", "A thread that draws tiles broke down.", { cause });

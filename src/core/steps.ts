import { setImmediate } from "node:timers/promises";
import type { ByteRange, RangeReader, ReadSync } from "./range-reader.ts";
import { readRanges } from "./read-ranges.ts";

/** Bytes that a piece of work needs. */
export interface ReadRange extends ByteRange {
  /** Buffer of exactly that length; if given, it is filled, and the result is (part of) it. */
  readonly into?: Uint8Array;
  /**
   * A buffer like `into`, valid only until it is handed out again. It is used where the bytes are
   * available without waiting and the range is the only one of its effect.
   */
  readonly room?: () => Uint8Array;
}

/** A computation that may run here or elsewhere. */
export interface Job<R> {
  /**
   * Runs it on this thread if that is quick and allowed; undefined where it declines. `near` reads
   * what is available without waiting; absent where nothing is.
   */
  readonly here?: (near: ReadSync | undefined) => R | undefined;
  /** Runs it where waiting is allowed. The reader is that of the work's object. */
  readonly away: (signal: AbortSignal, reader: RangeReader) => Promise<R>;
}

/** What a piece of work cannot do by itself. */
export type Effect =
  /**
   * Resumed with one Uint8Array per range, in order, each shorter than its range only at the end of
   * the object.
   */
  | { readonly kind: "read"; readonly ranges: readonly ReadRange[] }
  /** Resumed with the job's result. */
  | { readonly kind: "work"; readonly job: Job<unknown> }
  /** Resumed once others have had the event loop. */
  | { readonly kind: "rest" };

/**
 * A piece of work that suspends at each effect and is resumed with its result. It knows no promise,
 * reader or thread, so one description serves bytes in memory, local files and remote stores.
 * Ranges that are known together belong in one effect.
 */
export type Steps<T> = Generator<Effect, T, unknown>;

/** A finished piece of work. */
export interface Done<T> {
  readonly isDone: true;
  readonly value: T;
}

/** A piece of work suspended at an effect. To be given to `finish` or `drop`, once. */
export interface Pending<T> {
  readonly isDone: false;
  readonly steps: Steps<T>;
  readonly effect: Effect;
  /** The part of a read's result that is available already. */
  readonly answers?: readonly (Uint8Array | undefined)[];
}

/** Reads ranges; all that are known together should be requested together. */
export function* read(ranges: readonly ReadRange[]): Steps<readonly Uint8Array[]> {
  if (ranges.length === 0) return [];
  return (yield { kind: "read", ranges }) as readonly Uint8Array[];
}

/** Reads a single range. */
export function* readOne(range: ReadRange): Steps<Uint8Array> {
  const [bytes = nothing] = (yield { kind: "read", ranges: [range] }) as readonly Uint8Array[];
  return bytes;
}

/** Runs a job. Its result must not be undefined where it can run here. */
export function* work<R>(job: Job<R>): Steps<R> {
  return (yield { kind: "work", job }) as R;
}

/** Yields the event loop in the midst of long work. */
export function* yieldToEventLoop(): Steps<void> {
  yield { kind: "rest" };
}

const nothing = new Uint8Array(0);

/** Maximum bytes read synchronously for one piece of work; more would block the event loop. */
const maxNear = 1_048_576;

/**
 * Continues as far as effects can be handled without waiting: reads by `near` (none where it is
 * absent, and a megabyte in all), jobs on this thread. Throws what the work throws, which has then
 * ended.
 */
export const advance = <T>(steps: Steps<T>, near?: ReadSync): Done<T> | Pending<T> => {
  const turn: NearTurn = { near, left: maxNear };
  let next = steps.next();
  while (!next.done) {
    const effect = next.value;
    let answer: unknown;
    try {
      if (effect.kind === "work") answer = effect.job.here?.(near);
      else if (effect.kind === "read") answer = readNear(effect.ranges, turn);
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    if (answer === undefined) return { isDone: false, steps, effect };
    if (answer instanceof Partly) return { isDone: false, steps, effect, answers: answer.answers };
    next = steps.next(answer);
  }
  return { isDone: true, value: next.value };
};

/** Bytes that may still be read without waiting. */
interface NearTurn {
  readonly near: ReadSync | undefined;
  /** In bytes. */
  left: number;
}

/** Ranges some of which have to be waited for. */
class Partly {
  readonly answers: readonly (Uint8Array | undefined)[];
  constructor(answers: readonly (Uint8Array | undefined)[]) {
    this.answers = answers;
  }
}

/** Undefined where no range is available without waiting. */
const readNear = (
  ranges: readonly ReadRange[],
  turn: NearTurn,
): readonly Uint8Array[] | Partly | undefined => {
  const { near } = turn;
  for (const { length } of ranges) turn.left -= length;
  if (near === undefined || turn.left < 0) return undefined;
  const [only] = ranges;
  if (only !== undefined && ranges.length === 1) {
    const bytes = near(only.offset, only.length, only.into ?? only.room?.());
    return bytes && [bytes];
  }
  const answers = ranges.map(({ offset, length, into }) => near(offset, length, into));
  const found = answers.filter((bytes) => bytes !== undefined);
  return found.length === answers.length ? found : new Partly(answers);
};

/**
 * Continues where `advance` stopped, waiting as needed; nothing is done twice. Rejects with what
 * the work throws; errors of reads and jobs, and the signal's reason once it aborts, are thrown
 * into the work first.
 */
export const finish = async <T>(
  pending: Pending<T>,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<T> => {
  for (let state: Done<T> | Pending<T> = pending; ; ) {
    if (state.isDone) return state.value;
    state = await goOn(state, reader, signal);
  }
};

/** As `finish`, for reads only: stops before a job. */
export const finishReads = async <T>(
  pending: Pending<T>,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<Done<T> | Pending<T>> => {
  for (let state: Done<T> | Pending<T> = pending; ; ) {
    if (state.isDone || state.effect.kind === "work") return state;
    state = await goOn(state, reader, signal);
  }
};

/** Up to the first effect, which is left for `finish`. */
export const begin = <T>(steps: Steps<T>): Done<T> | Pending<T> => stateOf(steps, steps.next());

/** Runs a piece of work from its start, waiting as needed; rejects as `finish` does. */
export const complete = async <T>(
  steps: Steps<T>,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<T> => {
  const first = begin(steps);
  return first.isDone ? first.value : finish(first, reader, signal);
};

/** Cancels a piece of work: its `finally` blocks run. */
export const drop = <T>({ steps }: Pending<T>): void => {
  steps.return(undefined as T);
};

/** To the next effect. */
const goOn = async <T>(
  pending: Pending<T>,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<Done<T> | Pending<T>> => {
  const { steps } = pending;
  let answer: unknown;
  try {
    signal.throwIfAborted();
    answer = await answerFar(pending, reader, signal);
  } catch (error) {
    return stateOf(steps, steps.throw(error));
  }
  return stateOf(steps, steps.next(answer));
};

const stateOf = <T>(steps: Steps<T>, next: IteratorResult<Effect, T>): Done<T> | Pending<T> =>
  next.done ? { isDone: true, value: next.value } : { isDone: false, steps, effect: next.value };

const answerFar = async <T>(
  { effect, answers = [] }: Pending<T>,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<unknown> => {
  if (effect.kind === "work") return effect.job.away(signal, reader);
  if (effect.kind === "rest") return setImmediate();
  const { ranges } = effect;
  const missing = ranges.filter((_, index) => answers[index] === undefined);
  const found = await readRanges(reader, missing, signal);
  if (missing.length === ranges.length) return found;
  let at = 0;
  return ranges.map((_, index) => answers[index] ?? found[at++] ?? nothing);
};

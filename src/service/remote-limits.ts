import type { Admission, Admitted } from "../core/admission.ts";
import { Limiter } from "../core/limiter.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { SourceObject } from "../core/source.ts";

/**
 * The limit of concurrent images per remote server, as a multiple of the limit of concurrent small
 * renders.
 */
const perRunning = 8;
const fewest = 16;

/**
 * Bounds concurrent images per remote server: while they wait for it their admission is suspended,
 * so that other work can run.
 */
export class RemoteLimits {
  readonly #admission: Pick<Admission, "limits">;
  readonly #servers = new Map<string, Limiter>();

  constructor(admission: Pick<Admission, "limits">) {
    this.#admission = admission;
  }

  /**
   * Runs work on an object within the limit of its remote server; throws `busy` where too many
   * wait.
   */
  async run<T>(object: SourceObject, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (!isFar(object)) return work();
    const server = serverOf(object);
    const slots = this.#servers.get(server) ?? new Limiter(() => this.#limits());
    this.#servers.set(server, slots);
    const free = await slots.take(signal);
    try {
      return await work();
    } finally {
      free();
      if (slots.running === 0) this.#servers.delete(server);
    }
  }

  #limits() {
    const { small, waiting } = this.#admission.limits;
    return { running: Math.max(fewest, small.running * perRunning), waiting };
  }
}

/** Whether reading an object may take long for reasons outside this machine. */
const isFar = (object: SourceObject): boolean => object.download !== undefined;

const serverOf = ({ place = "" }: SourceObject): string =>
  /^[\w+.-]+:(?:\/\/)?[^/]*/.exec(place)?.[0] ?? "";

/** Opens an object; suspends the admission while a remote one is waited for. */
export const openRemote = async (
  object: SourceObject,
  turn: Admitted,
  signal: AbortSignal,
): Promise<RangeReader> => {
  if (!isFar(object)) return object.open(signal);
  const reader = await turn.aside(() => object.open(signal));
  // A copy, or a local file.
  if (reader.path !== undefined) return reader;
  const { readMany, prefetch, copy } = reader;
  return {
    ...reader,
    aside: turn.aside,
    read: (...asked) => turn.aside(() => reader.read(...asked)),
    ...(readMany ? { readMany: (...asked) => turn.aside(() => readMany(...asked)) } : {}),
    ...(prefetch ? { prefetch: (...asked) => turn.aside(() => prefetch(...asked)) } : {}),
    ...(copy ? { copy: (given) => turn.aside(() => copy(given)) } : {}),
    stream: (given) => reader.stream(given),
    close: () => reader.close(),
  };
};

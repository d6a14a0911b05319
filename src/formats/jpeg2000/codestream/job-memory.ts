/** A piece of memory that a job lies in. */
export interface JobPlace {
  readonly memory: SharedArrayBuffer;
  /** Where it begins: `jobPlace` says what it is for. */
  readonly at: number;
}

/** What a piece is for: numbers first, then the bytes of blocks up to its end. */
export const jobPlace = { bytes: 65_536, end: 524_288 } as const;

/** More than threads have jobs at a time; who gets none has memory made for it. */
const maxPieces = 16;

/**
 * Memory in which jobs lie on their way to threads and as long as these work on them; nothing has
 * to be made or copied.
 */
export class JobMemory {
  readonly #shared = new SharedArrayBuffer(maxPieces * jobPlace.end);
  /** The one that was used last comes first, so that few are ever touched. */
  readonly #free = Array.from({ length: maxPieces }, (_, piece) => piece * jobPlace.end).reverse();

  /** A piece that nobody uses, until it is given back; undefined where there is none. */
  take(): JobPlace | undefined {
    const at = this.#free.pop();
    return at === undefined ? undefined : { memory: this.#shared, at };
  }

  /** Gives a piece back that nobody looks at any more. */
  give({ at }: JobPlace): void {
    this.#free.push(at);
  }
}

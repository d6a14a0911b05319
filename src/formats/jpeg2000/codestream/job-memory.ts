/** A piece of memory for a job. */
export interface JobPlace {
  readonly memory: SharedArrayBuffer;
  /** Its beginning: `jobPlace` describes the layout. */
  readonly at: number;
}

/** The layout of a piece: numbers first, then the bytes of blocks up to its end. */
export const jobPlace = { bytes: 65_536, end: 524_288 } as const;

/** More than threads have jobs at a time; further jobs allocate memory of their own. */
const maxPieces = 16;

/** Memory for jobs on their way to threads and during their run, without allocation or copying. */
export class JobMemory {
  readonly #shared = new SharedArrayBuffer(maxPieces * jobPlace.end);
  /** Most recently used first, so that few are ever touched. */
  readonly #free = Array.from({ length: maxPieces }, (_, piece) => piece * jobPlace.end).reverse();

  /** A free piece, in use until it is returned; undefined where there is none. */
  take(): JobPlace | undefined {
    const at = this.#free.pop();
    return at === undefined ? undefined : { memory: this.#shared, at };
  }

  /** Returns a piece that is no longer used. */
  give({ at }: JobPlace): void {
    this.#free.push(at);
  }
}

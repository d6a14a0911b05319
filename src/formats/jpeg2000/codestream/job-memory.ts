/** A piece of memory for a job. */
export interface JobPlace {
  readonly memory: SharedArrayBuffer;
  /** Its beginning: `jobPlace` describes the layout. */
  readonly at: number;
  /** Its room for the bytes of blocks. */
  readonly bytes: Uint8Array;
  /** For the descriptions of usual numbers of blocks; of the calling thread alone. */
  readonly blocks: Int32Array;
}

/** The layout of a piece: numbers first, then the bytes of blocks up to its end. */
export const jobPlace = { bytes: 65_536, end: 524_288 } as const;

/** More than threads have jobs at a time; further jobs allocate memory of their own. */
const maxPieces = 16;

/** Memory for jobs on their way to threads and during their run, without allocation or copying. */
export class JobMemory {
  readonly #shared = new SharedArrayBuffer(maxPieces * jobPlace.end);
  /** Most recently used first, so that few are ever touched. */
  readonly #free: number[] = Array.from({ length: maxPieces }, (_, piece) => piece).reverse();
  readonly #pieces: JobPlace[] = [];
  readonly #blockNumbers: number;

  /** Each piece has room for so many numbers that describe blocks. */
  constructor(blockNumbers: number) {
    this.#blockNumbers = blockNumbers;
  }

  /** A free piece, in use until it is returned; undefined where there is none. */
  take(): JobPlace | undefined {
    const piece = this.#free.pop();
    if (piece === undefined) return undefined;
    this.#pieces[piece] ??= this.#pieceAt(piece * jobPlace.end);
    return this.#pieces[piece];
  }

  /** Returns a piece that is no longer used. */
  give({ at }: JobPlace): void {
    this.#free.push(at / jobPlace.end);
  }

  #pieceAt(at: number): JobPlace {
    const bytes = new Uint8Array(this.#shared, at + jobPlace.bytes, jobPlace.end - jobPlace.bytes);
    return { memory: this.#shared, at, bytes, blocks: new Int32Array(this.#blockNumbers) };
  }
}

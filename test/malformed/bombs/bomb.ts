/** A small file that asks for far more work, or far more memory, than an image is worth. */
export interface Bomb {
  /** The name it is served under. */
  readonly name: string;
  make(): Uint8Array | Promise<Uint8Array>;
  /** Which of its pages is asked for, counted from 1; absent: the first. */
  readonly page?: number;
}

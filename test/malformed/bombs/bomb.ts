/** A small file that requires far more work, or memory, than an image is worth. */
export interface Bomb {
  /** The name it is served under. */
  readonly name: string;
  make(): Uint8Array | Promise<Uint8Array>;
  /** The requested page, counted from 1; absent: the first. */
  readonly page?: number;
}

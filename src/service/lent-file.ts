import { close, write } from "node:fs";
import { promisify } from "node:util";
import { openNameless } from "../core/nameless-file.ts";

/**
 * A file without a name, which other processes can open by its descriptor in `/proc` (Linux), and
 * which bytes are written to as they become final.
 */
export class LentFile {
  readonly #bytes: Uint8Array;
  readonly #folders: readonly string[];
  /** The index of the folder it is in. */
  #folder = 0;
  #descriptor: number | undefined;
  #length = 0;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** `folders`: in the order in which they are tried. */
  constructor(bytes: Uint8Array, folders: readonly string[]) {
    this.#bytes = bytes;
    this.#folders = folders;
  }

  /** Its path, once it has so many bytes; throws the last folder's error. */
  extend(length: number): Promise<string> {
    const path = this.#last.then(() => this.#extended(length));
    this.#last = path.catch(() => undefined);
    return path;
  }

  close(): void {
    this.#isClosed = true;
    void this.#last.then(() => this.#drop());
  }

  async #extended(length: number): Promise<string> {
    if (this.#isClosed) throw new Error("The file is closed.");
    try {
      const folder = this.#folders[this.#folder] ?? "";
      this.#descriptor ??= openNameless("vitrine-overview-", [folder]);
      while (this.#length < length)
        this.#length += await this.#append(this.#descriptor, length - this.#length);
      return `/proc/${process.pid}/fd/${this.#descriptor}`;
    } catch (error) {
      this.#drop();
      if (this.#folder + 1 >= this.#folders.length) throw error;
      this.#folder++;
      return this.#extended(length);
    }
  }

  async #append(descriptor: number, length: number): Promise<number> {
    const at = this.#length;
    const { bytesWritten } = await promisify(write)(descriptor, this.#bytes, at, length, at);
    return bytesWritten;
  }

  #drop(): void {
    if (this.#descriptor !== undefined) close(this.#descriptor);
    this.#descriptor = undefined;
    this.#length = 0;
  }
}

import { close, writeFile } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { untilAborted } from "../core/abort.ts";
import type { Logger } from "../core/log.ts";
import { openNameless } from "../core/nameless-file.ts";
import type { Overview } from "../render/overview.ts";
import type { LendOverview, OtherOverviews } from "./overviews.ts";

/** An overview in a file of the process that made it. Plain data. */
export interface LentOverview extends Omit<Overview, "pixels"> {
  /** Of the file, which can be read for some seconds. */
  readonly path: string;
  /** Its size in bytes. */
  readonly bytes: number;
}

/** Milliseconds for which another process can read an overview that was lent. */
const lentMs = 5_000;

/** Claims at a time: well below what the connection to the supervisor carries. */
const maxClaiming = 64;

/** In memory first, which containers may limit to 64 MiB. */
const defaultFolders: readonly string[] = ["/dev/shm", tmpdir()];

/** How an exchange finds overviews, and where it puts those that it lends. */
export interface ExchangeOptions {
  /** Finds who has an overview; undefined: this process is recorded as the one that makes it. */
  readonly claim: (name: string) => Promise<LentOverview | undefined>;
  readonly log: Logger;
  /** Folders for the files, in the order in which they are tried. */
  readonly folders?: readonly string[];
}

/**
 * Exchanges overviews with the server's other processes, through files without a name that are
 * opened by their descriptors in `/proc` (Linux). A failure only costs the time to make an overview
 * again.
 */
export class OverviewExchange implements OtherOverviews {
  readonly #options: ExchangeOptions;
  #own: LendOverview = async () => undefined;
  #maxBytes = 0;
  #bytes = 0;
  #claiming = 0;
  readonly #lent = new WeakMap<Overview, Promise<LentOverview>>();

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  serve(lend: LendOverview, maxBytes: number): void {
    this.#own = lend;
    this.#maxBytes = maxBytes;
  }

  async find(name: string, signal: AbortSignal): Promise<Overview | undefined> {
    const { claim, log } = this.#options;
    if (this.#claiming >= maxClaiming) return undefined;
    this.#claiming++;
    try {
      const lent = await untilAborted(signal, () => claim(name));
      if (lent === undefined) return undefined;
      const { path, bytes, ...rest } = lent;
      return { pixels: await pixelsIn(path, bytes), ...rest };
    } catch (err) {
      signal.throwIfAborted();
      log.debug("An overview of another worker cannot be used and is made again.", { err });
      return undefined;
    } finally {
      this.#claiming--;
    }
  }

  /**
   * The overview in a file for another process; undefined where this one has none, or lends as many
   * bytes already as it may. Throws where no file can be written.
   */
  async lend(name: string): Promise<LentOverview | undefined> {
    const overview = await this.#own(name);
    if (overview === undefined) return undefined;
    const known = this.#lent.get(overview);
    if (known !== undefined) return known;
    if (this.#bytes + overview.pixels.length > this.#maxBytes) return undefined;
    this.#bytes += overview.pixels.length;
    const lent = this.#write(overview);
    this.#lent.set(overview, lent);
    return lent;
  }

  async #write(overview: Overview): Promise<LentOverview> {
    const { pixels, ...rest } = overview;
    const bytes = pixels.length;
    const end = (): void => {
      this.#bytes -= bytes;
      this.#lent.delete(overview);
    };
    try {
      const descriptor = await written(pixels, this.#options.folders ?? defaultFolders);
      setTimeout(() => {
        close(descriptor);
        end();
      }, lentMs).unref();
      return { path: `/proc/${process.pid}/fd/${descriptor}`, bytes, ...rest };
    } catch (error) {
      end();
      throw error;
    }
  }
}

/**
 * Reads the bytes of a file at once: in several pieces, each would wait for a thread that may be
 * busy decoding. Throws if the file has fewer.
 */
const pixelsIn = async (path: string, bytes: number): Promise<Uint8Array> => {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(bytes), 0, bytes, 0);
    if (bytesRead !== bytes)
      throw new Error(`Expected ${bytes} bytes in its file, got ${bytesRead}.`);
    return buffer;
  } finally {
    await file.close();
  }
};

/**
 * The descriptor of a new file with these bytes, in the first folder that has space for them; throws
 * the last folder's error.
 */
const written = async (
  bytes: Uint8Array,
  [folder = "", ...others]: readonly string[],
): Promise<number> => {
  try {
    const descriptor = openNameless("vitrine-overview-", [folder]);
    try {
      await promisify(writeFile)(descriptor, bytes);
      return descriptor;
    } catch (error) {
      close(descriptor);
      throw error;
    }
  } catch (error) {
    if (others.length === 0) throw error;
    return written(bytes, others);
  }
};

import { LRUCache } from "lru-cache";
import type { Logger } from "../core/log.ts";
import { SourceChanged } from "../core/range-reader.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { Decoder } from "../formats/shared/index.ts";
import type { KnownImage } from "../service/known.ts";
import type { PagePyramid } from "../service/prepared.ts";
import { openPyramid } from "./opening.ts";
import type { PyramidStore, StoredPyramid } from "./store.ts";

/** A pyramid that is ready to be read. */
export interface ReadyPyramid {
  readonly stored: StoredPyramid;
  readonly pyramid: PagePyramid;
}

/** The state of the pyramid of one page, as known to this process. */
export interface Entry {
  ready?: ReadyPyramid;
  refusal?: string;
  /** Cost of requests in excess of their cost with a pyramid, in pixels. */
  excess: number;
  /** How often in a row the process that made it died. */
  losses: number;
  /** When the store was last searched, and the use last recorded. */
  seenMs: number;
  usedMs: number;
}

/** The dependencies of `KnownPyramids`. */
export interface KnownPyramidsDeps {
  readonly store: PyramidStore;
  readonly decoder: () => Promise<Decoder>;
  readonly log: Logger;
}

/** Maximum number of pages whose pyramids a process remembers. */
const maxEntries = 20_000;

/** Milliseconds until the use of a pyramid is recorded again. */
const useMs = 600_000;

/** Minimum milliseconds between two log messages about an unreachable store. */
const toldMs = 60_000;

/** The states of pyramids, as known to this process. */
export class KnownPyramids {
  readonly #deps: KnownPyramidsDeps;
  readonly #entries = new LRUCache<string, Entry>({ max: maxEntries });
  readonly #searches = new SingleFlight<Entry>();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(deps: KnownPyramidsDeps) {
    this.#deps = deps;
  }

  /** The state that is known without a search; undefined if a search is due. */
  recent(name: string): Entry | undefined {
    const entry = this.#entries.get(name);
    if (entry?.ready) return entry;
    const isRecent = entry && Date.now() - entry.seenMs <= this.#deps.store.searchMs;
    return isRecent ? entry : undefined;
  }

  /**
   * Searches the store for a pyramid that another process may have made. If the store is
   * unreachable, the state is unknown. Throws only the signal's reason.
   */
  search(name: string, image: KnownImage, signal: AbortSignal): Promise<Entry> {
    return this.#searches.run(name, signal, async (shared) => {
      const found = await this.#found(name, image, shared);
      const entry = this.#entries.get(name) ?? { excess: 0, losses: 0, seenMs: 0, usedMs: 0 };
      entry.seenMs = Date.now();
      delete entry.ready;
      delete entry.refusal;
      Object.assign(entry, found);
      this.#entries.set(name, entry);
      return entry;
    });
  }

  /** Records that a pyramid is used. */
  use(entry: Entry, { stored, pyramid }: ReadyPyramid): PagePyramid {
    const now = Date.now();
    if (now - entry.usedMs > useMs) {
      entry.usedMs = now;
      void stored.use();
    }
    return pyramid;
  }

  /** Forgets all. */
  clear(): void {
    this.#entries.clear();
  }

  async #found(
    name: string,
    image: KnownImage,
    signal: AbortSignal,
  ): Promise<Pick<Entry, "ready" | "refusal">> {
    const { store, log } = this.#deps;
    let stored: StoredPyramid | undefined;
    try {
      const found = await store.look(name, signal);
      if (found?.kind === "refused") return { refusal: found.reason };
      stored = found?.pyramid;
    } catch (error) {
      signal.throwIfAborted();
      this.#tell(error);
      return {};
    }
    if (stored === undefined) return {};
    try {
      const decoder = await this.#deps.decoder();
      const opened = await openPyramid(stored, image, { decoder, signal });
      const discard = (cause: unknown): void => this.#discard(name, cause);
      return { ready: { stored, pyramid: { image: opened, discard } } };
    } catch (error) {
      signal.throwIfAborted();
      // A pyramid that was just evicted or cannot be reached counts as absent.
      if (error instanceof SourceChanged) return {};
      log.warn("A pyramid could not be opened; it is deleted and regenerated.", { name, error });
      await this.#drop(name);
      return {};
    }
  }

  #discard(name: string, cause: unknown): void {
    const entry = this.#entries.get(name);
    if (entry) {
      delete entry.ready;
      // It is not searched for until it has been deleted.
      entry.seenMs = Date.now();
    }
    if (cause instanceof SourceChanged) return;
    this.#deps.log.warn("A pyramid could not be read; it is deleted and regenerated.", {
      name,
      error: cause,
    });
    void this.#drop(name);
  }

  async #drop(name: string): Promise<void> {
    try {
      await this.#deps.store.drop(name, AbortSignal.timeout(dropMs));
    } catch (error) {
      this.#deps.log.warn(
        "An unreadable pyramid could not be deleted; delete it by hand, or purge its image.",
        { name, error },
      );
    }
  }

  #tell(error: unknown): void {
    if (performance.now() - this.#toldAt < toldMs) return;
    this.#toldAt = performance.now();
    this.#deps.log.warn(
      "The store of pyramids cannot be read; images are served without pyramids until it can.",
      {
        error,
      },
    );
  }
}

/** Time limit of deleting a pyramid in milliseconds. */
const dropMs = 30_000;

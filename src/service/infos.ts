import type { RequestContext } from "../core/context.ts";
import { ServerError } from "../core/errors.ts";
import { SourceChanged } from "../core/range-reader.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { Source, SourceObject } from "../core/source.ts";
import {
  extentOf,
  InfoMemories,
  type InfosHeld,
  lookupKeyOf,
  type Memory,
  suffices,
} from "./info-memories.ts";
import { type Caching, type KnownImage, knownImageOf } from "./known.ts";
import type { Extent, InfoRequest } from "./learned-info.ts";
import { isMissingObject, missingObject } from "./missing-object.ts";
import { type ObjectInfoDeps, ObjectInfos } from "./object-infos.ts";
import { recordedObject } from "./recorded-object.ts";

/** When infos are cached, trusted and served. */
export interface InfoPolicy {
  /** Whether infos are cached in memory. */
  readonly remember: () => boolean;
  /** Milliseconds until the source is asked again; absent: every time. */
  readonly trustMs?: () => number;
  /** Whether an info is served although its source no longer has the image; absent: no. */
  readonly outlives?: () => boolean;
}

/** The dependencies of infos. */
export interface InfosDeps extends ObjectInfoDeps, InfoPolicy {
  readonly source: () => Source;
  /** Called for images that the source no longer has. */
  readonly onMissing?: (identifier: string) => void;
  /** Maximum bytes of all infos together. */
  readonly maxBytes?: number;
  readonly now?: () => number;
}

/**
 * Reads image infos, once for concurrent requests, and caches them while the stored object is
 * unchanged.
 */
export class Infos {
  readonly #deps: InfosDeps;
  readonly #now: () => number;
  readonly #objects: ObjectInfos;
  readonly #looks = new SingleFlight<KnownImage>();
  readonly #memories: InfoMemories;
  readonly #tally = { hits: 0, misses: 0 };
  readonly #closing = new AbortController();

  constructor(deps: InfosDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
    this.#memories = new InfoMemories(deps.maxBytes);
    this.#objects = new ObjectInfos(deps, () => this.#memories.purges);
  }

  /** Counts of infos that were still valid and of images that had to be read. */
  get tally(): { readonly hits: number; readonly misses: number } {
    return { ...this.#tally };
  }

  /** Number of cached infos, and the estimated maximum that the bytes allow. */
  get held(): InfosHeld {
    return this.#memories.held;
  }

  /** The last known info of an image, whether or not it is still valid. */
  lastKnown(identifier: string): KnownImage | undefined {
    return this.#memories.peek(identifier)?.known;
  }

  /** The info of an image where it needs no lookup, if only an outline; undefined otherwise. */
  cached(identifier: string, caching: Caching): KnownImage | undefined {
    if (caching !== "use" || !this.#deps.remember()) return undefined;
    const memory = this.#memories.get(identifier);
    if (memory === undefined) return undefined;
    const trust = this.#deps.trustMs?.() ?? 0;
    if (this.#now() - memory.seen >= trust) return undefined;
    this.#lookAhead(identifier, memory, trust);
    this.#tally.hits++;
    return memory.known;
  }

  /**
   * The info of the context's image: complete, unless an outline suffices and no refresh is
   * requested; throws `missing`, `denied`, `unreadable` or `upstream`.
   */
  async get(
    context: RequestContext,
    caching: Caching,
    sufficient: Extent = "whole",
  ): Promise<KnownImage> {
    const extent = caching === "use" ? sufficient : "whole";
    if (caching !== "use" || !this.#deps.outlives?.()) return this.#get(context, caching, extent);
    try {
      return await this.#get(context, caching, extent);
    } catch (error) {
      const left = isMissingObject(error) ? await this.#left(context, error, extent) : undefined;
      if (left !== undefined) return left;
      this.#logProblems(error, context.identifier);
      throw error;
    }
  }

  /** The cached info of an image that its source no longer has: everything but its bytes. */
  async #left(
    { identifier, signal }: RequestContext,
    loss: ServerError,
    extent: Extent,
  ): Promise<KnownImage | undefined> {
    if (!this.#deps.remember()) return undefined;
    const known = this.#memories.peek(identifier)?.known;
    const { info, version, lastModified } =
      (known && suffices(known, extent) ? known : undefined) ??
      (await this.#deps.kept?.get(identifier, signal))?.record ??
      {};
    if (info === undefined || version === undefined) return undefined;
    const tell = (): void => this.#logProblems(loss, identifier);
    return knownImageOf(info, missingObject(version, lastModified, loss, tell));
  }

  #logProblems(error: unknown, identifier: string): void {
    if (error instanceof ServerError && error.failure === "missing")
      this.#deps.onMissing?.(identifier);
  }

  async #get(context: RequestContext, caching: Caching, extent: Extent): Promise<KnownImage> {
    const { identifier } = context;
    const trust = this.#deps.trustMs?.() ?? 0;
    const remember = this.#deps.remember();
    const memory = remember && caching === "use" ? this.#memories.get(identifier) : undefined;
    if (memory !== undefined && this.#now() - memory.seen < trust) {
      if (!suffices(memory.known, extent)) return this.#complete(context, memory);
      this.#lookAhead(identifier, memory, trust);
      this.#tally.hits++;
      return memory.known;
    }
    if (!remember || trust === 0 || caching !== "use")
      return this.#lookAndRemember(context, memory, { caching, extent });
    const { purges } = this.#memories;
    const trusted = memory ? undefined : await this.#trusted(context, trust);
    if (trusted) {
      this.#memories.set(identifier, trusted, purges);
      return trusted.known;
    }
    return this.#lookTogether(context, memory, extent);
  }

  /** Completes the outline of an image without asking the source whether the image still exists. */
  async #complete(
    context: RequestContext,
    { known: { object }, seen }: Memory,
  ): Promise<KnownImage> {
    const wanted = { caching: "use", extent: "whole" } as const;
    const { purges } = this.#memories;
    try {
      const known = await this.#objects.read(object, context, wanted);
      this.#tally.misses++;
      this.#memories.set(context.identifier, { known, seen }, purges);
      return known;
    } catch (error) {
      if (!(error instanceof SourceChanged) || context.signal.aborted) throw error;
      return this.#lookAndRemember(context, undefined, wanted);
    }
  }

  /**
   * Under load a look takes long: if all who come meanwhile looked as well, none would ever be
   * done.
   */
  #lookTogether(
    context: RequestContext,
    memory: Memory | undefined,
    extent: Extent,
  ): Promise<KnownImage> {
    const { purges } = this.#memories;
    const wanted = { caching: "use", extent } as const;
    return this.#looks.run(
      lookupKeyOf(context.identifier, memory, extent),
      context.signal,
      (signal) => this.#lookAndRemember({ ...context, signal }, memory, wanted, purges),
    );
  }

  /**
   * Looks again shortly before trust in a memory that is asked for ends, so that nobody waits for
   * it then.
   */
  #lookAhead(identifier: string, memory: Memory, trust: number): void {
    if (this.#now() - memory.seen < trust * untilAhead) return;
    const extent = extentOf(memory.known);
    if (this.#looks.has(lookupKeyOf(identifier, memory, extent)) || this.#closing.signal.aborted)
      return;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(findingMs)]);
    this.#lookTogether({ requestId: "none", identifier, signal }, memory, extent).catch(() => {
      // Whoever asks once trust has ended looks again, and is told why it fails.
    });
  }

  async #lookAndRemember(
    context: RequestContext,
    memory: Memory | undefined,
    wanted: InfoRequest,
    purges = this.#memories.purges,
  ): Promise<KnownImage> {
    const seen = this.#now();
    const known = await this.#lookAgain(context, memory?.known, wanted);
    if (known === memory?.known) this.#tally.hits++;
    else this.#tally.misses++;
    if (this.#deps.remember() && wanted.caching !== "bypass")
      this.#memories.set(context.identifier, { known, seen }, purges);
    return known;
  }

  /** Releases what turned out to hold no longer. */
  forget(identifier: string, known: Pick<KnownImage, "version">): void {
    this.#memories.forget(identifier, known);
  }

  /**
   * Records that a video of unknown length has no frame at a second, counted from 0, for the
   * lifetime of this process.
   */
  learnEnd(identifier: string, known: Pick<KnownImage, "version">, second: number): void {
    this.#memories.learnEnd(identifier, known, second);
  }

  /** Removes all infos, or all of one image. */
  forgetAll(identifier?: string): void {
    this.#memories.forgetAll(identifier);
  }

  /** Aborts running lookups and starts no more. */
  close(): void {
    this.#closing.abort(new ServerError("aborted", "The server is closing."));
  }

  /** An info that another process read so recently that the source need not be asked. */
  async #trusted(context: RequestContext, trust: number): Promise<Memory | undefined> {
    const { identifier, signal } = context;
    const kept = await this.#deps.kept?.get(identifier, signal);
    if (kept === undefined || kept.ageMs >= trust) return undefined;
    const { record, ageMs } = kept;
    const object = recordedObject(record, () => {
      // The request that started the lookup may be over by then.
      const later = { ...context, signal: AbortSignal.timeout(findingMs) };
      return this.#deps.source().find(identifier, later);
    });
    return { known: knownImageOf(record.info, object), seen: this.#now() - ageMs };
  }

  /** Looks the image up, and once more where it was replaced during the lookup. */
  #lookAgain(
    context: RequestContext,
    before: KnownImage | undefined,
    wanted: InfoRequest,
  ): Promise<KnownImage> {
    return this.#look(context, before, wanted).catch((error: unknown) => {
      if (!(error instanceof SourceChanged) || context.signal.aborted) throw error;
      return this.#look(context, undefined, wanted);
    });
  }

  /** Asks the source, and reads the image where the known info is of another object. */
  async #look(
    context: RequestContext,
    before: KnownImage | undefined,
    wanted: InfoRequest,
  ): Promise<KnownImage> {
    const object = await this.#find(context);
    if (before?.version === object.version && suffices(before, wanted.extent)) return before;
    return this.#objects.read(object, context, wanted);
  }

  async #find(context: RequestContext): Promise<SourceObject> {
    try {
      return await this.#deps.source().find(context.identifier, context);
    } catch (error) {
      // First checks whether the object still exists.
      if (!this.#deps.outlives?.()) this.#logProblems(error, context.identifier);
      throw error;
    }
  }
}

/** The fraction of the trust period after which an info is confirmed again in the background. */
const untilAhead = 0.75;

/** Maximum milliseconds for finding an object that is opened later than it was looked up. */
const findingMs = 30_000;

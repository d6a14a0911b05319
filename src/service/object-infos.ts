import type { RequestContext } from "../core/context.ts";
import type { ImageInfo } from "../core/info.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { SourceObject } from "../core/source.ts";
import { type KnownImage, knownImageOf } from "./known.ts";
import { type InfoRequest, type LearningDeps, learnedOf } from "./learned-info.ts";
import type { KeptInfos } from "./stored-infos.ts";

/** The dependencies of reading the infos of objects. */
export interface ObjectInfoDeps extends LearningDeps {
  /** Whether infos are cached. */
  readonly remember: () => boolean;
  /** The persistent info cache; absent: none. */
  readonly kept?: KeptInfos;
}

/** Reads the infos of objects, from the persistent cache or from the objects themselves. */
export class ObjectInfos {
  readonly #deps: ObjectInfoDeps;
  readonly #purges: () => number;
  readonly #flights = new SingleFlight<ImageInfo>();

  /** `purges` counts purges: what is read during one is not persisted. */
  constructor(deps: ObjectInfoDeps, purges: () => number) {
    this.#deps = deps;
    this.#purges = purges;
  }

  /** The info of an object, read once for all concurrent callers; throws as `learnedOf` does. */
  async read(
    object: SourceObject,
    { identifier, signal }: RequestContext,
    wanted: InfoRequest,
  ): Promise<KnownImage> {
    const key = `${wanted.caching}\0${wanted.extent}\0${identifier}\0${object.version}`;
    const info = await this.#flights.run(key, signal, (shared) =>
      this.#recallOrLearn(object, { ...wanted, identifier, signal: shared }),
    );
    return knownImageOf(info, object);
  }

  async #recallOrLearn(
    object: SourceObject,
    {
      identifier,
      caching,
      extent,
      signal,
    }: InfoRequest & Pick<RequestContext, "identifier" | "signal">,
  ): Promise<ImageInfo> {
    const { version, size, lastModified } = object;
    const purges = this.#purges();
    const kept = this.#deps.remember() && caching !== "bypass" ? this.#deps.kept : undefined;
    const before = caching === "use" ? await kept?.get(identifier, signal) : undefined;
    if (before?.record.version === version) return before.record.info;
    const info = await learnedOf(object, { identifier, extent, signal }, this.#deps);
    // Other processes rely on persisted infos being complete.
    if (info.isOutline || purges !== this.#purges()) return info;
    await kept?.put(identifier, { info, version, size, ...(lastModified ? { lastModified } : {}) });
    return info;
  }
}

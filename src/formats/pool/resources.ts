import type { Config } from "../../config/store.ts";

/** A pool or a cache that decoders share: created on first use, closed with all others. */
export interface Resource<T> {
  readonly create: (resources: Resources) => T;
  readonly close?: (made: T) => Promise<void>;
}

/** Describes a resource; nothing is created yet. */
export const defineResource = <T>(resource: Resource<T>): Resource<T> => resource;

interface Made {
  readonly value: unknown;
  readonly close: (() => Promise<void>) | undefined;
}

/** What the decoders and encoders of one process, or of one command, share. */
export class Resources {
  readonly config: Config;
  /**
   * The processors that pools of this process may use, at least in part; undefined: work is done on
   * the calling thread where it can be.
   */
  readonly processors: number | undefined;
  readonly #made = new Map<object, Made>();

  constructor(config: Config, { processors }: { readonly processors?: number } = {}) {
    this.config = config;
    this.processors = processors;
  }

  /** The resource, created now where this is its first use. */
  get<T>(resource: Resource<T>): T {
    const before = this.#made.get(resource);
    if (before !== undefined) return before.value as T;
    const value = resource.create(this);
    const { close } = resource;
    this.#made.set(resource, { value, close: close && (() => close(value)) });
    return value;
  }

  /** Uses a value that the caller created, and closes itself, as the resource. */
  provide<T>(resource: Resource<T>, value: T): this {
    this.#made.set(resource, { value, close: undefined });
    return this;
  }

  /**
   * Closes all that was created here, the last one first. If some fail to close, the others are
   * closed and the first error is thrown.
   */
  async close(): Promise<void> {
    const made = [...this.#made.values()].reverse();
    this.#made.clear();
    const errors: unknown[] = [];
    for (const { close } of made) await close?.().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}

import type { Amount } from "../caches/cache.ts";
import {
  type HeldLock,
  type LockTimes,
  type LockWait,
  takeSharedLock,
} from "../caches/shared-lock.ts";
import type { FileObjects, ListedObject } from "../clients/objects.ts";
import { ServerError } from "../core/errors.ts";
import { imageHash } from "../core/plan.ts";
import type { Source, SourceObject } from "../core/source.ts";
import { beyond } from "./evicting.ts";
import { factsText, maxFactsBytes, type PageFacts, parseFacts } from "./facts.ts";
import { endings, parseStored, type StoredKind } from "./names.ts";
import { objectLock } from "./object-lock.ts";
import {
  abandonedMs,
  type FinishedPyramid,
  type ListedPyramid,
  type PyramidStore,
  retryMs,
  type Stored,
  type StoreState,
  type SweepLimits,
} from "./store.ts";

/** The location of pyramids in a bucket or container. */
export interface ObjectStoreParts {
  readonly objects: FileObjects;
  /** The same objects by key, read by ranges. */
  readonly source: Source;
  /** Before all keys: empty, or with a slash at its end. */
  readonly prefix: string;
}

/** Long intervals, since each heartbeat and each check of a waiter is a request. */
const lockTimes: LockTimes = { signMs: 10_000, deadMs: 45_000, lookMs: 3_000 };

/** Age in milliseconds after which an unfinished upload is abandoned. */
const staleUploadMs = 86_400_000;

/** Milliseconds for which counts are remembered. */
const stateMs = 60_000;

/** Time limit of recording a use in milliseconds. */
const useMs = 10_000;

/** All objects of one name. */
type Group = Partial<Record<StoredKind, ListedObject>> & { readonly name: string };

/**
 * Pyramids as objects in a bucket or container: `[prefix/]pyramid/<name>.tif`, with their facts
 * next to them, whose modification time is the last use. Other objects are never touched.
 */
export class PyramidObjects implements PyramidStore {
  readonly searchMs = 10_000;
  readonly sweepMs = 600_000;
  readonly #objects: FileObjects;
  readonly #source: Source;
  readonly #area: string;
  #counted: { readonly at: number; readonly state: StoreState } | undefined;

  constructor({ objects, source, prefix }: ObjectStoreParts) {
    this.#objects = objects;
    this.#source = source;
    this.#area = `${prefix}pyramid/`;
  }

  async look(name: string, signal: AbortSignal): Promise<Stored | undefined> {
    for await (const group of this.#groups(`${name}.`, signal)) {
      if (group.pyramid) return this.#ready(group.name, group.pyramid, signal);
      if (group.refusal && !isOld(group.refusal, retryMs)) return this.#refused(name, signal);
    }
    return undefined;
  }

  lock(name: string, wait: LockWait): Promise<HeldLock | undefined> {
    return takeSharedLock(objectLock(this.#objects, this.#key(name, "lock")), lockTimes, wait);
  }

  async put({ name, file, facts, lock }: FinishedPyramid, signal: AbortSignal): Promise<boolean> {
    if (!(await lock.isHeld())) return false;
    await this.#write(this.#key(name, "facts"), facts, signal);
    await this.#objects.putFile(this.#key(name, "pyramid"), file, signal);
    // A purge that started in the meantime has removed the lock and may have missed the object.
    if (!(await lock.isHeld())) {
      await this.drop(name, signal);
      return false;
    }
    await this.#objects.remove([this.#key(name, "refusal")], signal);
    return true;
  }

  refuse(name: string, facts: PageFacts, signal: AbortSignal): Promise<void> {
    return this.#write(this.#key(name, "refusal"), facts, signal);
  }

  drop(name: string, signal: AbortSignal): Promise<void> {
    return this.#objects.remove([this.#key(name, "pyramid"), this.#key(name, "facts")], signal);
  }

  async remove(identifier: string | undefined, signal: AbortSignal): Promise<Amount> {
    const begin = identifier === undefined ? "" : `${imageHash(identifier)}-`;
    // A pyramid that is being made is not stored once its lock is gone.
    for await (const { lock } of this.#groups(begin, signal))
      if (lock) await this.#objects.remove([lock.key], signal);
    const removed = { entries: 0, bytes: 0 };
    for await (const group of this.#groups(begin, signal))
      await this.#removeCounted(group, removed, signal);
    return removed;
  }

  async sweep({ maxBytes, ttlMs, signal }: SweepLimits): Promise<Amount> {
    const removed = { entries: 0, bytes: 0 };
    const kept: (Group & { readonly bytes: number; readonly usedMs: number })[] = [];
    for await (const group of this.#groups("", signal)) {
      const { pyramid } = group;
      if (pyramid === undefined) await this.#removeAbandoned(group, signal);
      else if (ttlMs > 0 && Date.now() - usedMsOf(group) > ttlMs)
        await this.#removeCounted(group, removed, signal);
      else kept.push({ ...group, bytes: pyramid.bytes, usedMs: usedMsOf(group) });
    }
    for (const group of beyond(kept, maxBytes)) await this.#removeCounted(group, removed, signal);
    const before = new Date(Date.now() - staleUploadMs);
    const ours = (key: string): boolean => this.#parsed(key) !== undefined;
    await this.#objects.giveUpUploads?.({ prefix: this.#area, before, ours }, signal);
    return removed;
  }

  async state(signal: AbortSignal): Promise<StoreState> {
    if (this.#counted && Date.now() - this.#counted.at < stateMs) return this.#counted.state;
    let [entries, bytes, failed] = [0, 0, 0];
    for await (const { pyramid, refusal } of this.#groups("", signal)) {
      if (refusal) failed++;
      if (pyramid === undefined) continue;
      entries++;
      bytes += pyramid.bytes;
    }
    this.#counted = { at: Date.now(), state: { entries, bytes, failed } };
    return this.#counted.state;
  }

  async *list(after: string, signal: AbortSignal): AsyncGenerator<ListedPyramid> {
    for await (const group of this.#groups("", signal, after)) {
      const { name, pyramid, refusal } = group;
      if (pyramid) yield { name, kind: "pyramid", bytes: pyramid.bytes, usedMs: usedMsOf(group) };
      else if (refusal && !isOld(refusal, retryMs))
        yield { name, kind: "refusal", bytes: 0, usedMs: refusal.modifiedAt.getTime() };
    }
  }

  facts({ name, kind }: ListedPyramid, signal: AbortSignal): Promise<PageFacts | undefined> {
    return this.#read(this.#key(name, kind === "pyramid" ? "facts" : kind), signal);
  }

  async close(): Promise<void> {
    this.#objects.close();
    await this.#source.close?.();
  }

  async #ready(
    name: string,
    { key, bytes }: ListedObject,
    signal: AbortSignal,
  ): Promise<Stored | undefined> {
    let object: SourceObject;
    try {
      object = await this.#source.find(key, { requestId: "none", identifier: key, signal });
    } catch (error) {
      if (error instanceof ServerError && error.failure === "missing") return undefined;
      throw error;
    }
    // Touching the pyramid itself would copy it. If this fails, it may only be evicted earlier.
    const use = (): Promise<void> =>
      this.#objects
        .touch(this.#key(name, "facts"), AbortSignal.timeout(useMs))
        .catch(() => undefined);
    return { kind: "ready", pyramid: { bytes, object, use } };
  }

  async #refused(name: string, signal: AbortSignal): Promise<Stored | undefined> {
    const reason = (await this.#read(this.#key(name, "refusal"), signal))?.reason;
    return reason === undefined ? undefined : { kind: "refused", reason };
  }

  /** The objects of pyramids, grouped and sorted by name, after a given name. */
  async *#groups(begin: string, signal: AbortSignal, after = ""): AsyncGenerator<Group> {
    const from = after === "" ? undefined : `${this.#area}${after}~`;
    let group: Group | undefined;
    for await (const { objects } of this.#objects.list(this.#area + begin, signal, from))
      for (const object of objects) {
        const stored = this.#parsed(object.key);
        if (stored === undefined || stored.name <= after) continue;
        if (group && group.name !== stored.name) {
          yield group;
          group = undefined;
        }
        group = { name: stored.name, ...group, [stored.kind]: object };
      }
    if (group) yield group;
  }

  #parsed(key: string): ReturnType<typeof parseStored> {
    return key.startsWith(this.#area) ? parseStored(key.slice(this.#area.length)) : undefined;
  }

  /** Removes all objects of a name, and counts a pyramid among them. */
  async #removeCounted(
    { pyramid, facts, refusal }: Group,
    removed: { entries: number; bytes: number },
    signal: AbortSignal,
  ): Promise<void> {
    const keys = [pyramid, facts, refusal].flatMap((one) => one?.key ?? []);
    await this.#objects.remove(keys, signal);
    this.#counted = undefined;
    if (pyramid === undefined) return;
    removed.entries++;
    removed.bytes += pyramid.bytes;
  }

  async #removeAbandoned({ facts, refusal, lock }: Group, signal: AbortSignal): Promise<void> {
    const old = [facts, lock].filter((one) => one && isOld(one, abandonedMs));
    if (refusal && isOld(refusal, retryMs)) old.push(refusal);
    await this.#objects.remove(
      old.flatMap((one) => one?.key ?? []),
      signal,
    );
  }

  async #write(key: string, facts: PageFacts, signal: AbortSignal): Promise<void> {
    await this.#objects.put(key, Buffer.from(factsText(facts)), signal);
  }

  async #read(key: string, signal: AbortSignal): Promise<PageFacts | undefined> {
    const found = await this.#objects.get(key, signal);
    if (found === undefined || found.bytes.byteLength > maxFactsBytes) return undefined;
    return parseFacts(Buffer.from(found.bytes).toString("utf8"));
  }

  #key(name: string, kind: StoredKind): string {
    return `${this.#area}${name}${endings[kind]}`;
  }
}

const isOld = ({ modifiedAt }: ListedObject, maxMs: number): boolean =>
  Date.now() - modifiedAt.getTime() > maxMs;

const usedMsOf = ({ pyramid, facts }: Group): number =>
  Math.max(pyramid?.modifiedAt.getTime() ?? 0, facts?.modifiedAt.getTime() ?? 0);

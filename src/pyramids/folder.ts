import { mkdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Amount } from "../caches/cache.ts";
import { writeWhole } from "../caches/filesystem-files.ts";
import { fileLock, usualLockTimes } from "../caches/filesystem-lock.ts";
import { type HeldLock, type LockWait, takeSharedLock } from "../caches/shared-lock.ts";
import { imageHash } from "../core/plan.ts";
import { fileObject } from "../sources/file-object.ts";
import { type OpenFiles, versionOf } from "../sources/open-files.ts";
import { beyond } from "./evicting.ts";
import { factsText, maxFactsBytes, type PageFacts, parseFacts } from "./facts.ts";
import { absent, type StoredFile, storedFiles } from "./folder-files.ts";
import { endings, type StoredKind } from "./names.ts";
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

/** A folder of pyramids, one file each, with their facts next to them. */
export class PyramidFolder implements PyramidStore {
  readonly searchMs = 2_000;
  readonly sweepMs = 0;
  readonly #root: string;
  readonly #files: Pick<OpenFiles, "lease" | "sync" | "close">;

  /** The folder is created once the first pyramid is made. */
  constructor(root: string, files: Pick<OpenFiles, "lease" | "sync" | "close">) {
    this.#root = root;
    this.#files = files;
  }

  async look(name: string): Promise<Stored | undefined> {
    const path = this.#path(name, "pyramid");
    const found = await stat(path, { bigint: true }).catch(absent);
    if (found === undefined) return this.#refusal(name);
    const bytes = Number(found.size);
    const modified = Number(found.mtimeMs);
    const file = { path, size: bytes, version: versionOf(found) };
    const object = fileObject(file, modified, this.#files);
    // If recording the use fails, the pyramid may only be evicted earlier.
    const use = (): Promise<void> =>
      utimes(path, Date.now() / 1_000, modified / 1_000).catch(() => undefined);
    return { kind: "ready", pyramid: { bytes, object, use } };
  }

  async lock(name: string, wait: LockWait): Promise<HeldLock | undefined> {
    const path = this.#path(name, "lock");
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return takeSharedLock(fileLock(path), usualLockTimes, wait);
  }

  async put({ name, file, facts, lock }: FinishedPyramid, signal: AbortSignal): Promise<boolean> {
    if (!(await lock.isHeld())) return false;
    await this.#write(this.#path(name, "facts"), facts, signal);
    // Whole seconds, which `use` can set again exactly: the time is part of the file's version.
    const now = Math.floor(Date.now() / 1_000);
    await utimes(file, now, now);
    await rename(file, this.#path(name, "pyramid"));
    // A purge that started in the meantime has removed the lock and may have missed the file.
    if (!(await lock.isHeld())) {
      await this.drop(name);
      return false;
    }
    await rm(this.#path(name, "refusal"), { force: true });
    return true;
  }

  refuse(name: string, facts: PageFacts, signal: AbortSignal): Promise<void> {
    return this.#write(this.#path(name, "refusal"), facts, signal);
  }

  async drop(name: string): Promise<void> {
    for (const kind of ["pyramid", "facts"] as const)
      await rm(this.#path(name, kind), { force: true });
  }

  async remove(identifier: string | undefined, signal: AbortSignal): Promise<Amount> {
    const prefix = identifier === undefined ? "" : imageHash(identifier);
    // A pyramid that is being made is not stored once its lock is gone.
    for await (const { kind, path } of storedFiles(this.#root, { prefix }, signal))
      if (kind === "lock") await rm(path, { force: true });
    const removed = { entries: 0, bytes: 0 };
    for await (const file of storedFiles(this.#root, { prefix }, signal))
      if (file.kind !== "lock") await removeCounted(file, removed);
    return removed;
  }

  async sweep({ maxBytes, ttlMs, signal }: SweepLimits): Promise<Amount> {
    const removed = { entries: 0, bytes: 0 };
    const kept: StoredFile[] = [];
    for await (const file of storedFiles(this.#root, {}, signal)) {
      const max = await this.#maxAgeOf(file, ttlMs);
      if (max > 0 && Date.now() - file.usedMs > max) await removeCounted(file, removed);
      else if (file.kind === "pyramid") kept.push(file);
    }
    for (const file of beyond(kept, maxBytes)) {
      await removeCounted(file, removed);
      await rm(this.#path(file.name, "facts"), { force: true });
    }
    return removed;
  }

  async state(signal: AbortSignal): Promise<StoreState> {
    let [entries, bytes, failed] = [0, 0, 0];
    for await (const file of storedFiles(this.#root, {}, signal)) {
      if (file.kind === "refusal") failed++;
      if (file.kind !== "pyramid") continue;
      entries++;
      bytes += file.bytes;
    }
    return { entries, bytes, failed };
  }

  async *list(after: string, signal: AbortSignal): AsyncGenerator<ListedPyramid> {
    for await (const { name, kind, bytes, usedMs } of storedFiles(this.#root, { after }, signal)) {
      if (kind === "pyramid") yield { name, kind, bytes, usedMs };
      if (kind === "refusal" && Date.now() - usedMs <= retryMs) yield { name, kind, bytes, usedMs };
    }
  }

  async facts({ name, kind }: ListedPyramid): Promise<PageFacts | undefined> {
    return this.#read(this.#path(name, kind === "pyramid" ? "facts" : kind));
  }

  async close(): Promise<void> {
    this.#files.close();
  }

  async #refusal(name: string): Promise<Stored | undefined> {
    const path = this.#path(name, "refusal");
    const found = await stat(path).catch(absent);
    if (found === undefined || Date.now() - found.mtimeMs > retryMs) return undefined;
    const reason = (await this.#read(path))?.reason;
    return reason === undefined ? undefined : { kind: "refused", reason };
  }

  async #write(path: string, facts: PageFacts, signal: AbortSignal): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeWhole(path, Buffer.from(factsText(facts)), signal);
  }

  async #read(path: string): Promise<PageFacts | undefined> {
    const found = await stat(path).catch(absent);
    if (found === undefined || found.size > maxFactsBytes) return undefined;
    const text = await readFile(path, "utf8").catch(absent);
    return text === undefined ? undefined : parseFacts(text);
  }

  /** Milliseconds without use after which a file is removed; 0 for never. */
  async #maxAgeOf({ kind, name }: StoredFile, ttlMs: number): Promise<number> {
    if (kind === "pyramid") return ttlMs;
    if (kind === "refusal") return retryMs;
    if (kind !== "facts") return abandonedMs;
    const isNeeded = (await stat(this.#path(name, "pyramid")).catch(absent)) !== undefined;
    return isNeeded ? 0 : abandonedMs;
  }

  #path(name: string, kind: StoredKind): string {
    return join(this.#root, name.slice(0, 2), `${name}${endings[kind]}`);
  }
}

const removeCounted = async (
  { path, kind, bytes }: StoredFile,
  removed: { entries: number; bytes: number },
): Promise<void> => {
  await rm(path, { force: true });
  if (kind !== "pyramid") return;
  removed.entries++;
  removed.bytes += bytes;
};

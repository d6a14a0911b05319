import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import {
  type Purge,
  type PurgeScope,
  prefixesIn,
  purgedBy,
  readPurges,
  writePurges,
} from "./purge-record.ts";
import type { Notes } from "./store.ts";

/**
 * Purges of a shared store, announced in its notes to all servers. Each polls them every few
 * seconds, clears its memory, and treats entries stored before a purge as gone from then on,
 * however long their removal takes.
 */
export interface Purges {
  /** Whether an entry stored at a time was purged. */
  isGone(name: string, storedAt: Date): boolean;
  /** Announces a purge to all servers before the removal begins. */
  begin(scopes: readonly PurgeScope[], signal: AbortSignal): Promise<readonly Purge[]>;
  /** Announces that a removal is finished. */
  finish(begun: readonly Purge[], signal: AbortSignal): Promise<void>;
  /** Both at once, for what is removed already. */
  tell(scopes: readonly PurgeScope[], signal: AbortSignal): Promise<void>;
  /** Finishes purges of dead processes: removes entries by their name prefixes. */
  complete(
    remove: (prefix: string, signal: AbortSignal) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Calls back for each purge of another server, when it is noticed. */
  onPurge(listener: (scopes: readonly PurgeScope[]) => void): void;
  close(): void;
}

export interface PurgesParts {
  readonly notes: Notes;
  readonly log: Logger;
  /** Polling interval in milliseconds; 0: other servers' purges are not noticed. */
  readonly lookMs: number;
  /** Time limit of a poll in milliseconds. */
  readonly readMs: number;
  readonly now?: () => number;
}

/**
 * Milliseconds for which a finished purge stays announced: a server that does not poll meanwhile
 * clears all its memory.
 */
const toldMs = 600_000;
/** Milliseconds after which an unfinished purge is that of a dead process. */
const brokenMs = 600_000;
/** Maximum number of purges listed separately. */
const max = 1_000;
const attempts = 8;
/** Minimum milliseconds before checking that a written note is still there. */
const verifyMs = 50;

/** Polls now and periodically until it is closed. */
export const openPurges = async (parts: PurgesParts): Promise<Purges> => {
  const { notes, log, lookMs, readMs, now = () => Date.now() } = parts;
  const closing = new AbortController();
  const listeners: ((scopes: readonly PurgeScope[]) => void)[] = [];
  let seen: ReadonlySet<string> = new Set();
  let isGone = purgedBy([]);
  let lookedAt = now();
  let isTold = false;

  const read = async (signal: AbortSignal): Promise<readonly Purge[]> => {
    const bytes = await notes.read(signal);
    if (bytes === undefined) return [];
    return readPurges(bytes) ?? [notUnderstood(bytes)];
  };

  /** Merges noted purges; returns the new ones. */
  const take = (purges: readonly Purge[]): readonly PurgeScope[] => {
    const news = purges.filter((purge) => !seen.has(stateOf(purge))).map(({ scope }) => scope);
    const hasMissed = now() - lookedAt > toldMs;
    seen = new Set(purges.map(stateOf));
    isGone = purgedBy(purges);
    lookedAt = now();
    return hasMissed ? ["memory", ...news] : news;
  };

  const look = async (): Promise<readonly PurgeScope[]> => {
    const looking = new AbortController();
    const leave = (): void => looking.abort(closing.signal.reason);
    const late = setTimeout(
      () => looking.abort(new Error(`No response within ${readMs} ms`)),
      readMs,
    );
    closing.signal.addEventListener("abort", leave);
    try {
      const news = take(await read(looking.signal));
      isTold = false;
      return news;
    } catch (error) {
      if (!isTold && !closing.signal.aborted)
        log.warn("Cannot read which entries of the derivative cache were purged; retrying.", {
          error,
        });
      isTold = true;
      return [];
    } finally {
      clearTimeout(late);
      closing.signal.removeEventListener("abort", leave);
    }
  };

  const lookOn = async (): Promise<void> => {
    while (await paused(lookMs, closing.signal)) {
      const scopes = await look();
      if (scopes.length > 0) for (const listener of listeners) listener(scopes);
    }
  };

  /**
   * Adds to the notes, or replaces the notes of the same purges. Concurrent writers may overwrite
   * it, so it is checked until it stays.
   */
  const write = async (purges: readonly Purge[], signal: AbortSignal): Promise<void> => {
    const ids = new Set(purges.map(({ id }) => id));
    const states = new Set(purges.map(stateOf));
    const areTold = (among: readonly Purge[]): number =>
      among.filter((purge) => states.has(stateOf(purge))).length;
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const began = performance.now();
      const there = await read(signal);
      const others = there.filter(({ id }) => !ids.has(id));
      const told = within([...others, ...purges], now());
      if (attempt > 1 && areTold(there) === areTold(told)) return;
      await notes.write(writePurges(told), signal);
      // A server that read before this write has written by then.
      const took = performance.now() - began;
      await pause(verifyMs + 2 * took, undefined, { signal });
    }
    fail("busy", `Cannot record the purge: other servers overwrote it ${attempts} times.`);
  };

  const finish = (purges: readonly Purge[], signal: AbortSignal): Promise<void> =>
    write(
      purges.map((purge) => ({ ...purge, doneAt: now() })),
      signal,
    );

  if (lookMs > 0) {
    // Purges noted before this process started cannot concern its memory.
    await look();
    void lookOn();
  }

  return {
    isGone: (name, storedAt) => isGone(name, storedAt),

    async begin(scopes, signal) {
      const purges = scopes.map((scope) => begun(scope, now()));
      const others = await read(signal);
      await notes.write(writePurges(within([...others, ...purges], now())), signal);
      return purges;
    },

    finish,

    tell: (scopes, signal) =>
      finish(
        scopes.map((scope) => begun(scope, now())),
        signal,
      ),

    async complete(remove, signal) {
      const broken = (await read(signal)).filter(
        ({ at, doneAt }) => doneAt === undefined && at < now() - brokenMs,
      );
      if (broken.length === 0) return;
      for (const { scope } of broken)
        for (const prefix of prefixesIn(scope)) await remove(prefix, signal);
      await finish(broken, signal);
    },

    onPurge(listener) {
      listeners.push(listener);
    },

    close: () => closing.abort(),
  };
};

const begun = (scope: PurgeScope, at: number): Purge => ({
  id: randomUUID(),
  scope,
  at,
});

const stateOf = ({ id, doneAt }: Purge): string => `${id} ${doneAt !== undefined}`;

/** Without expired ones, and with no more than may be listed. */
const within = (purges: readonly Purge[], now: number): readonly Purge[] => {
  const current = purges.filter(({ doneAt = now }) => doneAt > now - toldMs);
  if (current.length <= max) return current;
  const rest: Purge = { ...begun("memory", now), doneAt: now };
  return [rest, ...current.slice(1 - max)];
};

/** Of another layout: whatever it says, it clears everything in memory. */
const notUnderstood = (bytes: Uint8Array): Purge => ({
  id: `of another layout, ${crc32(bytes)}`,
  scope: "memory",
  at: 0,
  doneAt: 0,
});

/** Waits without keeping the process alive; false once the signal has aborted. */
const paused = (ms: number, signal: AbortSignal): Promise<boolean> =>
  pause(ms, true, { signal, ref: false }).catch(() => false);

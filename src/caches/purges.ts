import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import {
  goneBy,
  type Purge,
  type PurgeScope,
  prefixesIn,
  readPurges,
  writePurges,
} from "./purge-record.ts";
import type { Notes } from "./store.ts";

/**
 * What is purged from a store, told by its notes to all servers that share it. Each looks at them
 * every few seconds, releases what it has in memory, and takes what was stored before a purge for
 * gone from then on, however long its removal takes.
 */
export interface Purges {
  /** Whether an entry stored then was purged. */
  isGone(name: string, storedAt: Date): boolean;
  /** Tells all servers that something is purged from now on, before it is removed. */
  begin(scopes: readonly PurgeScope[], signal: AbortSignal): Promise<readonly Purge[]>;
  /** Tells all servers that all of it is removed. */
  finish(begun: readonly Purge[], signal: AbortSignal): Promise<void>;
  /** Both at once, for what is removed already. */
  tell(scopes: readonly PurgeScope[], signal: AbortSignal): Promise<void>;
  /**
   * Ends purges whose processes died: removes, by the beginnings of names, what they were about.
   */
  complete(
    remove: (prefix: string, signal: AbortSignal) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<void>;
  /** From now on, calls for what somebody purges, whenever it is learned. */
  onPurge(listener: (scopes: readonly PurgeScope[]) => void): void;
  close(): void;
}

export interface PurgesParts {
  readonly notes: Notes;
  readonly log: Logger;
  /** Milliseconds from one look at the notes to the next; 0: what others purge is not learned. */
  readonly lookMs: number;
  /** Milliseconds a look may take. */
  readonly readMs: number;
  readonly now?: () => number;
}

/**
 * A purge that is done is told for so long, in milliseconds: who does not look meanwhile releases
 * all.
 */
const toldMs = 600_000;
/** One that is not done after so long, in milliseconds, is left over from a process that died. */
const brokenMs = 600_000;
/** So many are told one by one. */
const max = 1_000;
const attempts = 8;
/** The least pause before it is looked whether what was written is still there, in milliseconds. */
const verifyMs = 50;

/** Learns what is purged by now, and goes on doing so until it is closed. */
export const openPurges = async (parts: PurgesParts): Promise<Purges> => {
  const { notes, log, lookMs, readMs, now = () => Date.now() } = parts;
  const closing = new AbortController();
  const listeners: ((scopes: readonly PurgeScope[]) => void)[] = [];
  let seen: ReadonlySet<string> = new Set();
  let isGone = goneBy([]);
  let lookedAt = now();
  let isTold = false;

  const read = async (signal: AbortSignal): Promise<readonly Purge[]> => {
    const bytes = await notes.read(signal);
    if (bytes === undefined) return [];
    return readPurges(bytes) ?? [notUnderstood(bytes)];
  };

  /** Takes over what is purged; returns what is new. */
  const take = (purges: readonly Purge[]): readonly PurgeScope[] => {
    const news = purges.filter((purge) => !seen.has(stateOf(purge))).map(({ scope }) => scope);
    const hasMissed = now() - lookedAt > toldMs;
    seen = new Set(purges.map(stateOf));
    isGone = goneBy(purges);
    lookedAt = now();
    return hasMissed ? ["memory", ...news] : news;
  };

  const look = async (): Promise<readonly PurgeScope[]> => {
    const looking = new AbortController();
    const leave = (): void => looking.abort(closing.signal.reason);
    const late = setTimeout(() => looking.abort(new Error(`No answer for ${readMs} ms`)), readMs);
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
   * Adds to the notes, or replaces what is there of the same purges. Others who do the same at the
   * same time may write over it: it is looked at again until it stays.
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
      // Who has read before this was written has written by then.
      const took = performance.now() - began;
      await pause(verifyMs + 2 * took, undefined, { signal });
    }
    fail("busy", `Expected to note a purge; others wrote over it ${attempts} times.`);
  };

  const finish = (purges: readonly Purge[], signal: AbortSignal): Promise<void> =>
    write(
      purges.map((purge) => ({ ...purge, doneAt: now() })),
      signal,
    );

  if (lookMs > 0) {
    // Purges noted before this process started concern nothing that it holds.
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

/** Without those that were told for long enough, and no more than may be told one by one. */
const within = (purges: readonly Purge[], now: number): readonly Purge[] => {
  const current = purges.filter(({ doneAt = now }) => doneAt > now - toldMs);
  if (current.length <= max) return current;
  const rest: Purge = { ...begun("memory", now), doneAt: now };
  return [rest, ...current.slice(1 - max)];
};

/** Of another layout: whatever it tells of, nothing that lies in memory is among it any more. */
const notUnderstood = (bytes: Uint8Array): Purge => ({
  id: `of another layout, ${crc32(bytes)}`,
  scope: "memory",
  at: 0,
  doneAt: 0,
});

/** Waits without keeping the process alive; false once the signal has aborted. */
const paused = (ms: number, signal: AbortSignal): Promise<boolean> =>
  pause(ms, true, { signal, ref: false }).catch(() => false);

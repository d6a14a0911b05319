import { spawn } from "node:child_process";
import { once, setMaxListeners } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unseal } from "../../src/caches/envelope.ts";
import { stores } from "../../src/caches/index.ts";
import type { Store } from "../../src/caches/store.ts";
import { inParts } from "../../src/clients/objects.ts";
import { Config, type Snapshot } from "../../src/config/store.ts";
import { silent } from "../../src/core/log.ts";
import { random } from "../random.ts";
import { killedBody, killedName } from "./killed-names.ts";

/** A place that stores are opened on by these settings; initially empty. */
export interface KilledPlace {
  /** As a configuration has them: plain values. */
  readonly settings: Snapshot;
  /**
   * How much is in the place that is not an entry and should not survive a sweep, where that can be
   * counted.
   */
  leftovers?(): Promise<number>;
  remove(): Promise<void>;
}

const writer = fileURLToPath(new URL("./killed-writer.ts", import.meta.url));
const maxMs = 300_000;
const wantedWrites = 2_000;
/** Number of concurrent reads. */
const readers = 8;
/** A writer is killed after about so many writes. */
const writesOfOne = { min: 200, max: 900 };
/** A store considers a writer's remains dead after an hour at the latest. */
const laterMs = 3_600_000;

interface Round {
  readonly round: number;
  readonly begun: number;
  readonly done: ReadonlySet<number>;
}

/**
 * Kills processes while they write to a kind of store, and checks what they leave behind: every
 * entry is whole or absent, all finished writes are there, and a sweep clears the rest. `skipped`
 * says why it is skipped.
 */
export const killedContract = (
  kind: string,
  makePlace: (() => Promise<KilledPlace>) | { readonly skipped: string },
): void => {
  const skipped = typeof makePlace === "function" ? undefined : makePlace.skipped;
  describe.skipIf(skipped !== undefined)(
    `${kind}, whose writers are killed${skipped ? ` (${skipped})` : ""}`,
    () => {
      let place: KilledPlace;
      let store: Store;
      const rounds: Round[] = [];
      const signal = new AbortController().signal;
      setMaxListeners(0, signal);

      beforeAll(async () => {
        if (typeof makePlace !== "function") return;
        place = await makePlace();
        const { whole } = random(Date.now());
        for (let begun = 0; begun < wantedWrites; ) {
          const round = await writeAndDie(kind, place.settings, {
            round: rounds.length,
            after: whole(writesOfOne.min, writesOfOne.max),
          });
          rounds.push(round);
          begun += round.begun;
        }
        const opened = await stores[kind]?.open(new Config(place.settings), {
          ttlMs: 0,
          bounds: { bytes: 0, entries: 0 },
          log: silent,
          now: () => new Date(Date.now() + laterMs),
        });
        if (opened === undefined) throw new Error(`Expected a kind of cache, got '${kind}'`);
        store = opened;
      }, maxMs);
      afterAll(async () => {
        await store?.close();
        await place?.remove();
      });

      it(
        "has every entry whole or not at all, and all that was written to its end",
        async () => {
          const check = async ({ round, done }: Round, n: number): Promise<void> => {
            const name = killedName(round, n);
            const kept = await store.get(name, signal);
            if (kept === undefined) {
              expect(done.has(n), `${name} was written and is gone`).toBe(false);
              return;
            }
            const body = unseal(name, kept.bytes)?.body;
            expect(body && Buffer.compare(body, killedBody(name)), name).toBe(0);
          };
          for (const round of rounds) {
            const numbers = Array.from({ length: round.begun }, (_, n) => n);
            await inParts(numbers, { size: 1, concurrency: readers }, ([n = 0]) => check(round, n));
          }
        },
        maxMs,
      );

      it(
        "is cleared by a sweep of what the writers left behind",
        async () => {
          await store.sweep({ bounds: { bytes: 0, entries: 0 } }, signal);
          expect((await place.leftovers?.()) ?? 0).toBe(0);
          expect((await store.stats(signal)).entries).toBeGreaterThan(0);
          await store.remove("", signal);
          expect((await store.stats(signal)).entries).toBe(0);
        },
        maxMs,
      );
    },
  );
};

const writeAndDie = async (
  kind: string,
  settings: Snapshot,
  { round, after }: { readonly round: number; readonly after: number },
): Promise<Round> => {
  const child = spawn(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), writer, kind, JSON.stringify(settings), String(round)],
    { env: { ...process.env, NODE_OPTIONS: "" }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let begun = 0;
  const done = new Set<number>();
  let [rest, said] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("d")) done.add(Number(line.slice(1)));
      else begun++;
    }
    if (begun >= after) child.kill("SIGKILL");
  });
  const late = setTimeout(() => child.kill("SIGTERM"), maxMs / 2);
  const [code, ended] = await once(child, "close");
  clearTimeout(late);
  if (ended !== "SIGKILL")
    throw new Error(`The writer ended with ${code ?? ended} after ${begun} writes: ${said}`);
  return { round, begun, done };
};

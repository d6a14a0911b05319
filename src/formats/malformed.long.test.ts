import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { corpusFiles, corpusIsHere, corpusIsMissing } from "../../test/corpus.ts";
import type { Outcome } from "../../test/malformed/read-all.ts";

const program = fileURLToPath(new URL("../../test/malformed/read-all.ts", import.meta.url));
const wholeRun = 120_000;

test.skipIf(!corpusIsHere)(
  "malformed images are rendered or rejected quickly, in little memory and without a crash",
  async () => {
    const { code, signal, lines, last } = await run();
    expect({ code, signal }, `the process that read ${last}`).toEqual({ code: 0, signal: null });
    const outcomes = lines.map((line) => JSON.parse(line) as Outcome);
    expect(outcomes).toHaveLength(corpusFiles("malformed").length);
    expect(outcomes.filter(({ outcome }) => outcome === "thrown")).toEqual([]);
    expect(outcomes.filter(({ seconds }) => seconds > 10)).toEqual([]);
    expect(outcomes.filter(({ megabytes }) => megabytes > 1000)).toEqual([]);
    const halves = outcomes.filter(
      ({ path, outcome, expect: wanted }) =>
        wanted === "error" && outcome === "image" && !damagedWithin.has(path),
    );
    expect(halves).toEqual([]);
    const leaks = outcomes.filter(({ message }) => message.includes("/"));
    expect(leaks).toEqual([]);
  },
  wholeRun,
);

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));

/**
 * Files that may be shown as far as they are intact: above all JPEG 2000 with corrupt coded data.
 */
const damagedWithin: ReadonlySet<string> = new Set([
  "malformed/2236.pdf.SIGSEGV.398.1376.jp2",
  "malformed/crash-7d4c83eb92150fb8f1653a697703ae06ae7c4998.j2k",
  "malformed/mem-b2b86b74-2753.jp2",
  // Some of its tiles are corrupt; this test requests others, which are intact.
  "malformed/multi_tile_truncated_rgb.jp2",
  // A PDF that claims two billion pages and has one, which is intact.
  "malformed/pdf-count-2147483647.pdf",
]);

interface Run {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lines: readonly string[];
  /** The file that was being read when the process ended. */
  readonly last: string;
}

/**
 * In a process of its own, so that a crash of native code fails a test instead of ending all of
 * them.
 */
const run = (): Promise<Run> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", "tsx", program], {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: wholeRun,
    });
    const out: Buffer[] = [];
    const names: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => names.push(chunk));
    child.on("error", reject);
    child.on("close", (code, signal) =>
      resolve({
        code,
        signal,
        lines: Buffer.concat(out).toString().trim().split("\n"),
        last: Buffer.concat(names).toString().trim().split("\n").at(-1) ?? "",
      }),
    );
  });

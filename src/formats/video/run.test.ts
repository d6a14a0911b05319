import { expect, test } from "vitest";
import { runProgram } from "./run.ts";

const node = (
  script: string,
  limits: { readonly ms?: number; readonly bytes?: number } = {},
  signal = new AbortController().signal,
) =>
  runProgram({
    program: process.execPath,
    args: ["-e", script],
    limits: { ms: 20_000, bytes: 1_000, ...limits },
    signal,
  });

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

test("reports a program's output, errors and exit code", async () => {
  const run = await node("console.log('said'); console.error('moaned'); process.exitCode = 3");
  expect([run.end, text(run.output), run.complaint]).toEqual([3, "said\n", "moaned\n"]);
});

test("gives a program empty input and hides unrelated environment variables", async () => {
  process.env["VITRINE_TEST_SECRET"] = "a password";
  const run = await node(
    "process.stdin.on('end', () => console.log(process.env.VITRINE_TEST_SECRET)).resume()",
  ).finally(() => delete process.env["VITRINE_TEST_SECRET"]);
  expect([run.end, text(run.output)]).toEqual([0, "undefined\n"]);
});

test("ends a program that takes too long", async () => {
  expect((await node("setInterval(() => {}, 1000)", { ms: 300 })).end).toBe("late");
});

test("ends a program that writes too much", async () => {
  const run = await node("for (;;) process.stdout.write('x'.repeat(100))", { bytes: 5_000 });
  expect(run.end).toBe("long");
  expect(run.output.length).toBeLessThanOrEqual(5_000);
});

test("keeps only the beginning of error output", async () => {
  const run = await node("process.stderr.write('y'.repeat(100000))");
  expect(run.complaint).toBe("y".repeat(2_000));
});

test("distinguishes a program killed by a signal from a missing one", async () => {
  expect((await node("process.kill(process.pid, 'SIGSEGV')")).end).toBe("killed");
  const run = runProgram({
    program: "/nowhere/ffmpeg",
    args: [],
    limits: { ms: 1_000, bytes: 1 },
    signal: new AbortController().signal,
  });
  expect((await run).end).toBe("absent");
});

test("rejects with the abort reason when the caller leaves", async () => {
  const abort = new AbortController();
  const run = node("console.error(process.pid); setInterval(() => {}, 1000)", {}, abort.signal);
  abort.abort(new Error("left"));
  await expect(run).rejects.toThrow("left");
  await expect(node("0", {}, abort.signal)).rejects.toThrow("left");
});

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { memoryGroup, noGroups } from "../../bench/cgroup.ts";
import { familyOf } from "../../bench/memory.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { run, serve } from "./program.ts";

const samples = fileURLToPath(new URL("../../samples/", import.meta.url));
const mega = 2 ** 20;

/**
 * A control group of so many bytes, which ends with the test; undefined where none can be created.
 */
const groupOf = async (bytes: number) => {
  const group = await memoryGroup(bytes);
  if (group !== undefined) onTestFinished(() => group.remove());
  return group;
};

test("explain --budget shows how memory is divided", async () => {
  const cwd = await temporaryFolder({
    "a.properties": "memory.budget = 2G\nhttp.workers = 2\ncache.server.tiles.target_size = 40M\n",
  });
  const { code, stdout, stderr } = await run(["explain", "--budget", "--config", "a.properties"], {
    cwd,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^2147 MB for the server \(memory\.budget\), 2 workers\n/);
  expect(stdout).toMatch(/^supervisor +\d+ +\d+$/m);
  expect(stdout).toMatch(/^drawing +\d+ +x 2 +\d+$/m);
  expect(stdout).toMatch(/^decoded tiles of TIFFs +41 +x 2 +83 +as set$/m);
  expect(stdout).toMatch(/^in all +2147$/m);
  const json = await run(["explain", "--budget", "--json", "--config", "a.properties"], { cwd });
  expect(JSON.parse(json.stdout)).toMatchObject({
    total: 2 ** 31,
    by: "memory.budget",
    workers: 2,
  });
});

test("shares that do not fit are reported by explain, config check and the log", async () => {
  const cwd = await temporaryFolder({
    "a.properties":
      "memory.budget = 600M\nhttp.host = 127.0.0.1\ncache.server.structure.target_size = 1G\n",
  });
  const sentence = /The configured shares take \d+ MB in all, of 629 MB.*structure\.target_size/;
  const args = ["--config", "a.properties"];
  expect((await run(["explain", "--budget", ...args], { cwd })).stdout).toMatch(sentence);
  const checked = await run(["config", "check", ...args], { cwd });
  expect(checked.code).toBe(0);
  expect(checked.stdout).toMatch(sentence);
  const server = await serve(args, { cwd });
  expect(server.stdout() + server.stderr()).toMatch(sentence);
});

test("with less than 512 MB the server does not start, and reports why", async ({ skip }) => {
  const group = await groupOf(400 * mega);
  if (group === undefined) return skip(noGroups);
  const { code, stderr } = await run(["serve", samples], { within: group.inside });
  expect(code).toBe(2);
  expect(stderr).toContain(
    "There are 419 MB of memory for the server (the limit of the container or service), and it needs at least 512 MB. Give it more, or set memory.budget.",
  );
});

test("the only worker of a small container has a heap of its share", async ({ skip }) => {
  const group = await groupOf(512 * mega);
  if (group === undefined) return skip(noGroups);
  const { stdout } = await run(["explain", "--budget", "--json"], { within: group.inside });
  expect(JSON.parse(stdout)).toMatchObject({ total: 512 * mega, by: "container", workers: 1 });
  const server = await serve([samples], { within: group.inside });
  const commands = await Promise.all(
    (await familyOf(server.pid)).map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8")),
  );
  const limits = commands.flatMap((command) =>
    [...command.matchAll(/--max-old-space-size=(\d+)/g)].map(([, limit]) => Number(limit)),
  );
  expect(limits).toHaveLength(1);
  expect(limits[0]).toBeGreaterThan(48);
  expect(limits[0]).toBeLessThan(128);
});

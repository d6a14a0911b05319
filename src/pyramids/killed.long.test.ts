import { execFileSync, spawn } from "node:child_process";
import { readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { expect, it, onTestFinished } from "vitest";
import { openPyramids } from "../../test/pyramid-server.ts";
import { temporaryFolder } from "../../test/temporary-folder.ts";

const { signal } = new AbortController();
const waiting = { timeout: 120_000, interval: 200 };

/** The processes that convert for another one. */
const convertersOf = (parent: number | undefined): readonly number[] =>
  execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+.*convert-worker/.exec(line) ?? [])
    .filter(([, , ppid]) => Number(ppid) === parent)
    .map(([, pid]) => Number(pid));

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it("a server that is killed while it makes a pyramid leaves nothing that another cannot clear", async () => {
  const images = await temporaryFolder();
  const root = join(await temporaryFolder(), "pyramids");
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  const size = { width: 2_500, height: 2_500 };
  const image = sharp({ create: { ...size, channels: 3, background: "#888", noise } });
  await writeFile(join(images, "a.png"), await image.png({ compressionLevel: 0 }).toBuffer());
  const maker = fileURLToPath(new URL("../../test/pyramid-maker.ts", import.meta.url));
  const killed = spawn(process.execPath, ["--import", "tsx", maker, root, images, "a.png"], {
    stdio: "ignore",
  });
  onTestFinished(() => void killed.kill("SIGKILL"));
  await expect.poll(() => convertersOf(killed.pid).length, waiting).toBe(1);
  const converters = convertersOf(killed.pid);
  killed.kill("SIGKILL");
  await expect.poll(() => converters.some(isRunning), waiting).toBe(false);
  const left = await readdir(root);
  const [folder = ""] = left.filter((name) => name.startsWith("job-"));
  expect(folder).not.toBe("");
  // As if a minute had passed.
  const then = Date.now() / 1_000 - 60;
  await utimes(join(root, folder), then, then);
  const pyramids = openPyramids({ root, images });
  onTestFinished(() => pyramids.close());
  expect((await pyramids.list({ max: 5 }, signal)).records).toEqual([]);
  expect(await pyramids.make("a.png", {}, signal)).toMatchObject({ made: 1 });
  expect((await readdir(root)).filter((name) => name.startsWith("job-"))).toEqual([]);
  expect((await pyramids.list({ max: 5 }, signal)).records).toHaveLength(1);
}, 300_000);

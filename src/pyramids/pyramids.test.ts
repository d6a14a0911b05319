import { execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPyramids, type PyramidPlace } from "../../test/pyramid-server.ts";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { type Logger, silent } from "../core/log.ts";
import { SourceChanged } from "../core/range-reader.ts";
import type { OverviewName } from "../service/overviews.ts";
import type { ServerPyramids } from "./pyramids.ts";
import { ConverterLost } from "./refused.ts";

const { signal } = new AbortController();
const anywhere = { onProgress: () => {} };

/** A PNG of noise, which takes a while to compress. */
const noise = (side: number): Promise<Buffer> =>
  sharp({
    create: {
      ...{ width: side, height: side, channels: 3, background: "#888" },
      noise: { type: "gaussian", mean: 128, sigma: 60 },
    },
  })
    .png({ compressionLevel: 0 })
    .toBuffer();

interface Place {
  readonly root: string;
  /** Where images are; identifiers are names of files. */
  readonly images: string;
  /** Messages logged by all servers. */
  readonly logged: string[];
  /** Starts another server over the same folders. */
  server(
    values?: Readonly<Record<string, unknown>>,
    overviews?: PyramidPlace["overviews"],
  ): ServerPyramids;
}

const place = async (files: Readonly<Record<string, Buffer>>): Promise<Place> => {
  const images = await temporaryFolder();
  const root = join(await temporaryFolder(), "pyramids");
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(images, name), bytes);
  const logged: string[] = [];
  const note = (message: string): void => void logged.push(message);
  const log: Logger = { ...silent, info: note, warn: note };
  const server: Place["server"] = (values = {}, overviews = undefined) => {
    const pyramids = openPyramids({ root, images, values, log, ...(overviews && { overviews }) });
    onTestFinished(() => pyramids.close());
    return pyramids;
  };
  return { root, images, logged, server };
};

/** Everything in the folder but locks and empty folders. */
const leftIn = async (root: string): Promise<readonly string[]> =>
  (await readdir(root, { recursive: true }).catch(() => [])).filter(
    (name) => name.startsWith("job-") || /\.(tif|json|failed|tmp)$/.test(name),
  );

/** The processes that convert for this one. */
const converters = (): readonly number[] =>
  execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
    .filter(
      ([, , parent, args = ""]) => Number(parent) === process.pid && /convert-worker/.test(args),
    )
    .map(([, pid]) => Number(pid));

const madeMessage = "A pyramid was made for an image that is slow to zoom.";

describe("making pyramids of an image", () => {
  it("takes levels from overviews, in which viewers have seen them", async () => {
    const { server, root } = await place({ "a.png": await noise(1_500) });
    const level = { width: 375, height: 375 };
    const grey = sharp({ create: { ...level, channels: 3, background: "#808080" } });
    const pixels = await grey.tiff({ tile: true, compression: "none" }).toBuffer();
    const asked: OverviewName[] = [];
    const pyramids = server(
      { "pyramids.encoding": "jpeg" },
      {
        async look(name) {
          asked.push(name);
          const look = { space: "srgb", keepsProfile: false } as const;
          const raster = { size: level, covers: { x: 0, y: 0, width: 1_500, height: 1_500 } };
          return name.key.includes("/375x375/") ? { pixels, size: level, look, raster } : undefined;
        },
      },
    );
    expect((await pyramids.make("a.png", {}, signal)).made).toBe(1);
    expect(asked.map(({ identifier, key }) => [identifier, key.split("/")[1]])).toEqual([
      ["a.png", "750x750"],
      ["a.png", "375x375"],
      ["a.png", "188x188"],
      ["a.png", "94x94"],
    ]);
    const [file = ""] = (await leftIn(root)).filter((name) => name.endsWith(".tif"));
    const spread = await Promise.all(
      [1, 2].map(async (page) => {
        const { channels } = await sharp(join(root, file), { page }).stats();
        return Math.max(...channels.map(({ min, max }) => max - min));
      }),
    );
    expect(spread[0]).toBeGreaterThan(50);
    expect(spread[1]).toBeLessThan(3);
  });

  it("makes missing ones, reports progress and lists them", async () => {
    const { server, root } = await place({ "a.png": await noise(700) });
    const pyramids = server();
    const shares: number[] = [];
    const result = await pyramids.make(
      "a.png",
      { onProgress: (share) => shares.push(share) },
      signal,
    );
    expect(result).toEqual({ made: 1, ready: 0, unneeded: 0, refused: [] });
    expect(shares.at(-1)).toBe(1);
    expect(shares).toEqual(shares.toSorted((one, other) => one - other));
    expect(shares.length).toBeGreaterThan(2);
    const { records, next } = await pyramids.list({ max: 10 }, signal);
    expect(next).toBeUndefined();
    expect(records).toMatchObject([
      { identifier: "a.png", page: 1, state: "ready", size: { width: 700, height: 700 } },
    ]);
    expect(records[0]?.bytes).toBeGreaterThan(10_000);
    expect(await leftIn(root)).toHaveLength(2);
    const again = await pyramids.make("a.png", anywhere, signal);
    expect(again).toEqual({ made: 0, ready: 1, unneeded: 0, refused: [] });
    expect(await pyramids.remove("a.png", signal)).toMatchObject({ entries: 1 });
    expect((await pyramids.list({ max: 10 }, signal)).records).toEqual([]);
  });

  it("makes each once for concurrent callers", async () => {
    const { server, logged } = await place({ "a.png": await noise(700) });
    const [one, other] = [server(), server()];
    const results = await Promise.all(
      [one, one, other].map((pyramids) => pyramids.make("a.png", anywhere, signal)),
    );
    for (const { made, ready } of results) expect(made + ready).toBe(1);
    expect(logged).toEqual([madeMessage]);
  });

  it("can be cancelled, and then leaves no files", async () => {
    const { server, root, logged } = await place({ "a.png": await noise(1_500) });
    const pyramids = server();
    const cancel = new AbortController();
    const making = pyramids.make("a.png", anywhere, cancel.signal);
    making.catch(() => undefined);
    await expect.poll(() => converters().length, { timeout: 60_000 }).toBe(1);
    const { records } = await pyramids.list({ max: 5, state: "making" }, signal);
    expect(records).toMatchObject([{ identifier: "a.png", page: 1, state: "making" }]);
    cancel.abort(new Error("cancelled"));
    await expect(making).rejects.toThrow("cancelled");
    await expect.poll(() => pyramids.pending, { timeout: 60_000 }).toBe(0);
    expect(await leftIn(root)).toEqual([]);
    expect(converters()).toEqual([]);
    expect(logged).toEqual([]);
  });

  it("is aborted by a purge, which is final", async () => {
    const { server, root } = await place({ "a.png": await noise(1_500) });
    const [one, other] = [server(), server()];
    const making = one.make("a.png", anywhere, signal);
    making.catch(() => undefined);
    await expect.poll(() => converters().length, { timeout: 60_000 }).toBe(1);
    // Another server cannot stop it, but keeps it from being stored.
    await other.remove("a.png", signal);
    expect(await making).toMatchObject({ made: 0, refused: [expect.stringContaining("purged")] });
    const again = one.make("a.png", anywhere, signal);
    again.catch(() => undefined);
    // The process of the first job does this one, too.
    await expect.poll(() => leftIn(root), { timeout: 60_000 }).not.toEqual([]);
    expect(converters()).toHaveLength(1);
    await one.remove(undefined, signal);
    await expect(again).rejects.toThrow("purged");
    expect(await leftIn(root)).toEqual([]);
  });

  it("retries after its process was killed", async () => {
    const { server, root } = await place({ "a.png": await noise(1_500) });
    const pyramids = server();
    const making = pyramids.make("a.png", anywhere, signal);
    making.catch(() => undefined);
    await expect.poll(() => converters().length, { timeout: 60_000 }).toBe(1);
    for (const pid of converters()) process.kill(pid, "SIGKILL");
    await expect(making).rejects.toBeInstanceOf(ConverterLost);
    expect(await leftIn(root)).toEqual([]);
    expect(await pyramids.make("a.png", anywhere, signal)).toMatchObject({ made: 1 });
  });

  it("uses one process for images that follow soon, and ends it on closing", async () => {
    const { server } = await place({ "a.png": await noise(600), "b.png": await noise(600) });
    const pyramids = server();
    expect(await pyramids.make("a.png", anywhere, signal)).toMatchObject({ made: 1 });
    const [pid] = converters();
    expect(pid).toBeGreaterThan(0);
    expect(await pyramids.make("b.png", anywhere, signal)).toMatchObject({ made: 1 });
    expect(converters()).toEqual([pid]);
    await pyramids.close();
    expect(converters()).toEqual([]);
  });

  it("discards the pyramid of an image that was replaced in the meantime", async () => {
    const { server, root, images } = await place({ "a.png": await noise(1_500) });
    const pyramids = server();
    const making = pyramids.make("a.png", anywhere, signal);
    making.catch(() => undefined);
    await expect.poll(() => converters().length, { timeout: 60_000 }).toBe(1);
    await writeFile(join(images, "a.png"), await noise(800));
    await expect(making).rejects.toBeInstanceOf(SourceChanged);
    expect(await leftIn(root)).toEqual([]);
    expect(await pyramids.make("a.png", anywhere, signal)).toMatchObject({ made: 1 });
  });

  it("retries refused pages, and lists the reason until then", async () => {
    const { server } = await place({ "a.png": await noise(700) });
    const refusing = server({ "pyramids.max_size": 1_000 });
    const reason = "The pyramid could take more than a quarter of 1000 bytes (pyramids.max_size).";
    const refused = await refusing.make("a.png", anywhere, signal);
    expect(refused).toEqual({ made: 0, ready: 0, unneeded: 0, refused: [reason] });
    const { records } = await refusing.list({ max: 5, state: "refused" }, signal);
    expect(records).toMatchObject([{ identifier: "a.png", state: "refused", reason }]);
    const pyramids = server();
    expect(await pyramids.make("a.png", anywhere, signal)).toMatchObject({ made: 1 });
    expect(await pyramids.list({ max: 5, state: "refused" }, signal)).toEqual({ records: [] });
  });

  it("ends immediately when the server closes", async () => {
    const { server, root } = await place({ "a.png": await noise(1_500) });
    const pyramids = server();
    const making = pyramids.make("a.png", anywhere, signal);
    making.catch(() => undefined);
    await expect.poll(() => converters().length, { timeout: 60_000 }).toBe(1);
    await pyramids.close();
    await expect(making).rejects.toThrow("closing");
    expect(await leftIn(root)).toEqual([]);
    expect(converters()).toEqual([]);
  });

  it("runs with the configured priority in all its threads", async () => {
    const { server } = await place({ "a.png": await noise(700) });
    const pyramids = server({ "pyramids.niceness": 7 });
    const seen = new Set<number>();
    const look = async (): Promise<void> => {
      for (const pid of converters())
        for (const task of await readdir(`/proc/${pid}/task`).catch(() => [])) {
          const text = await readFile(`/proc/${pid}/task/${task}/stat`, "latin1").catch(() => "");
          // The 19th field is the nice value; the name before may contain spaces.
          if (text !== "") seen.add(Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[16]));
        }
    };
    const onProgress = (): void => void look();
    await pyramids.make("a.png", { onProgress }, signal);
    expect([...seen]).toEqual([7]);
  });
});

describe("listing pyramids", () => {
  it("refuses invalid cursors and numbers", async () => {
    const pyramids = (await place({})).server();
    const malformed = { failure: "malformed" };
    for (const max of [0, 1_001, 1.5, Number.NaN])
      await expect(pyramids.list({ max }, signal)).rejects.toMatchObject(malformed);
    for (const after of ["../x", "", "g", "0".repeat(40)])
      await expect(pyramids.list({ max: 1, after }, signal)).rejects.toMatchObject(malformed);
    expect(await pyramids.list({ max: 1_000, after: "0" }, signal)).toEqual({ records: [] });
  });
});

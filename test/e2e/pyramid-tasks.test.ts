import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { asImage, drawGrid } from "./grid.ts";
import { type Panelled, startPanelled } from "./panelled.ts";

/** Longer than a machine that does much else takes to make a small pyramid. */
const patience = { timeout: 120_000, interval: 100 };

let server: Panelled;
let pyramids: string;
beforeAll(async () => {
  pyramids = await mkdtemp(join(tmpdir(), "vitrine-pyramids-"));
  server = await startPanelled([
    `pyramids.folder = ${pyramids}`,
    "pyramids.min_pixels = 1000000",
    "pyramids.niceness = 0",
  ]);
  const photo = await asImage(drawGrid(2_600, 2_000, { square: 301, seed: 7 }))
    .blur(10)
    .png()
    .toBuffer();
  await writeFile(join(server.folder, "slow.png"), photo);
  const broken = await sharp(photo).jpeg().toBuffer();
  await writeFile(join(server.folder, "broken.jpg"), broken.subarray(0, broken.length / 2));
  await writeFile(join(server.folder, "notes.txt"), "No image.");
  await server.enter();
}, 60_000);
afterAll(async () => {
  await server.close();
  await rm(pyramids, { recursive: true, force: true });
});

/** The task once it has ended. */
const ended = async (body: object) => {
  const begun = await server.ask("POST", "/tasks", { body });
  expect(begun.status).toBe(202);
  const { pathname } = new URL(String(begun.headers["location"]));
  return vi.waitFor(async () => {
    const task = (await server.ask("GET", pathname)).json();
    expect(task.done).toBe(true);
    return task;
  }, patience);
};

interface Listed {
  readonly identifier: string;
  readonly state: string;
}

const listed = async (query = "") => {
  const told = await server.ask("GET", `/pyramids${query}`);
  expect(told.status).toBe(200);
  return told.json();
};

const layer = async () =>
  (await server.ask("GET", "/status"))
    .json()
    .caches.find((one: { readonly layer: string }) => one.layer === "pyramids");

describe("tasks that make pyramids", () => {
  it(
    "make those of one image, which is then listed, counted and looked up",
    async () => {
      const before = await server.call("GET", "images/slow.png");
      expect(before.json().pyramids).toEqual([
        { page: 1, state: { kind: "absent", share: 0 }, gain: expect.any(Number) },
      ]);
      expect(before.json().pyramids[0].gain).toBeGreaterThan(1);
      const task = await ended({ verb: "MakePyramid", identifier: "slow.png" });
      expect(task).toMatchObject({
        ...{ status: "SUCCEEDED", progress: 1, cancelled: false, exception: null },
        pyramids: {
          ...{ images: 1, of: 1, made: 1, ready: 0, unneeded: 0, refused: 0, failed: 0 },
          reasons: [],
        },
      });
      const { pyramids, next } = await listed();
      expect(next).toBeNull();
      expect(pyramids).toEqual([
        {
          ...{ identifier: "slow.png", page: 1, state: "ready" },
          size: { width: 2_600, height: 2_000 },
          ...{ sourceBytes: expect.any(Number), bytes: expect.any(Number) },
          made: expect.stringMatching(/^\d{4}-.*Z$/),
          used: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      ]);
      const after = (await server.call("GET", "images/slow.png")).json().pyramids[0];
      expect(after.state).toEqual({ kind: "ready", bytes: pyramids[0].bytes });
    },
    patience.timeout,
  );

  it(
    "make those of all images, past files that are none, and skip what is ready",
    async () => {
      const task = await ended({ verb: "MakePyramids" });
      const { pyramids, status } = task;
      expect(status).toBe("SUCCEEDED");
      expect(pyramids.images).toBe(pyramids.of);
      expect(pyramids).toMatchObject({ made: 1, ready: 1, refused: 1, failed: 2 });
      const named = pyramids.reasons.map((one: Listed) => one.identifier);
      expect(named).toEqual(expect.arrayContaining(["broken.jpg", "notes.txt"]));
      expect(JSON.stringify(task)).not.toContain(server.folder);
    },
    patience.timeout,
  );

  it("fail with a message if the image or its pages do not exist", async () => {
    const task = await ended({ verb: "MakePyramid", identifier: "none.png" });
    expect(task).toMatchObject({
      status: "FAILED",
      exception: expect.stringContaining("none.png"),
    });
  });
});

describe("GET /pyramids", () => {
  it.each([
    ["state=done", "state: expected one of ready, making, waiting, refused, got 'done'"],
    ["max=0", "max: expected a number from 1 to 1000, got '0'"],
    ["max=1001", "max: expected"],
    ["max=ten", "max: expected"],
    ["after=nowhere", "next"],
    [`after=${"0".repeat(2_000)}`, "after: expected"],
  ])("rejects a wrong argument: %#", async (query, message) => {
    const told = await server.ask("GET", `/pyramids?${query}`);
    expect(told.status).toBe(400);
    expect(told.text).toContain(message);
  });

  it("filters by state", async () => {
    const states = ({ pyramids }: { readonly pyramids: readonly Listed[] }) =>
      new Set(pyramids.map(({ state }) => state));
    for (const state of ["ready", "refused", "making", "waiting"])
      for (const one of states(await listed(`?state=${state}&max=1000`))) expect(one).toBe(state);
  });

  it("returns the same to the panel, and nothing without a login", async () => {
    const told = await server.call("GET", "pyramids?max=5");
    expect(told.status).toBe(200);
    expect(told.json().records.map((one: Listed) => one.identifier)).toContain("slow.png");
    expect((await server.ask("GET", "/pyramids", { login: null })).status).toBe(401);
  });
});

describe("tasks that delete pyramids", () => {
  it("delete those of one image, and of all", async () => {
    expect((await layer()).entries).toBe(2);
    const other = await ended({ verb: "PurgePyramid", identifier: "other.png" });
    expect(other).toMatchObject({ status: "SUCCEEDED", removed: { entries: 0 } });
    const task = await ended({ verb: "PurgePyramid", identifier: "slow.png" });
    expect(task).toMatchObject({ status: "SUCCEEDED", removed: { entries: 1 } });
    expect(await ended({ verb: "PurgePyramids" })).toMatchObject({ removed: { entries: 1 } });
    expect((await listed()).pyramids).toEqual([]);
  });
});

describe("with pyramids switched off", () => {
  it("tasks and lists report it", async () => {
    const off = await startPanelled(["pyramids.enabled = false"]);
    try {
      const told = await off.ask("GET", "/pyramids");
      expect(told.status).toBe(501);
      expect(told.text).toContain("set pyramids.enabled to true");
      for (const verb of ["MakePyramids", "PurgePyramids"]) {
        const begun = await off.ask("POST", "/tasks", { body: { verb } });
        const { pathname } = new URL(String(begun.headers["location"]));
        await vi.waitFor(async () =>
          expect((await off.ask("GET", pathname)).json().exception).toBe(
            "Pyramids are switched off. To use them, set pyramids.enabled to true and restart the server.",
          ),
        );
      }
    } finally {
      await off.close();
    }
  });
});

describe("DELETE /tasks/{uuid}", () => {
  it("returns an ended task unchanged, and 404 for unknown ones", async () => {
    const task = await ended({ verb: "PurgeInfoCache" });
    const told = await server.ask("DELETE", `/tasks/${task.uuid}`);
    expect(told.status).toBe(200);
    expect(told.json()).toEqual(task);
    const none = "/tasks/0a0a0a0a-1b1b-4c4c-8d8d-2e2e2e2e2e2e";
    expect((await server.ask("DELETE", none)).status).toBe(404);
  });
});

import { tmpdir } from "node:os";
import { describe, expect, it, vi } from "vitest";
import { Config } from "../config/store.ts";
import { fail } from "../core/errors.ts";
import { silent } from "../core/log.ts";
import { createHealth, type HealthParts } from "./health-check.ts";
import { ServedImages } from "./served-images.ts";
import type { SourcePlace } from "./source-checks.ts";

const never = new AbortController().signal;

/** The only source, on this machine. */
const local = (reach: SourcePlace["reach"]): readonly SourcePlace[] => [
  { name: "source", kind: "FilesystemSource", isRemote: false, reach },
];

const make = (parts: Partial<HealthParts> = {}, values: Readonly<Record<string, unknown>> = {}) =>
  createHealth({
    config: new Config({
      "endpoint.health.dependency_check": true,
      "endpoint.health.min_disk_space": 0,
      "endpoint.health.min_memory": 0,
      ...values,
    }),
    log: silent,
    served: async () => [
      { source: "FilesystemSource", format: "tif", identifier: "a.tif" },
      { source: "FilesystemSource", format: "jpg", identifier: "b.jpg" },
    ],
    forget: () => {},
    probeImage: async () => {},
    caches: [],
    folders: () => [],
    ...parts,
  });

describe("health", () => {
  it("is GREEN without checking anything, unless configured to check", async () => {
    const probeImage = vi.fn(async () => fail("upstream", "Gone."));
    const health = make({ probeImage }, { "endpoint.health.dependency_check": false });
    expect(await health.report(never)).toEqual({ color: "GREEN", message: null, checks: [] });
    expect(probeImage).not.toHaveBeenCalled();
  });

  it("is RED without the source, even where nothing else is checked", async () => {
    const reach = async () => fail("upstream", "The folder of the images cannot be read.");
    const health = make({ places: local(reach) }, { "endpoint.health.dependency_check": false });
    expect(await health.report(never)).toMatchObject({
      color: "RED",
      message: "source: The folder of the images cannot be read.",
    });
  });

  it("is GREEN when everything that worked still works", async () => {
    const attempt = vi.fn(async () => {});
    const report = await make({
      places: local(async () => "there"),
      caches: [{ name: "RedisCache", attempt }],
    }).report(never);
    expect(report).toMatchObject({ color: "GREEN", message: null });
    expect(report.checks.map(({ name }) => name)).toEqual([
      "source",
      "FilesystemSource, tif",
      "FilesystemSource, jpg",
      "RedisCache",
    ]);
    expect(attempt).toHaveBeenCalledOnce();
  });

  it("aborts its checks once nobody waits for it, without blaming them", async () => {
    const leaving = new AbortController();
    const ended: unknown[] = [];
    const error = vi.fn();
    const attempt = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => {
        signal.addEventListener("abort", () => {
          ended.push(signal.reason);
          reject(signal.reason);
        });
        setImmediate(() => leaving.abort(new Error("gone")));
      });
    const health = make({
      served: async () => [],
      caches: [{ name: "RedisCache", attempt }],
      log: { ...silent, error },
    });
    await expect(health.report(leaving.signal)).rejects.toThrow("gone");
    await vi.waitFor(() => expect(ended).toHaveLength(1));
    expect(error).not.toHaveBeenCalled();
  });

  it("is RED when an image can no longer be read, and names its format", async () => {
    const probeImage = async (identifier: string) => {
      if (identifier === "a.tif") fail("upstream", "The storage of 'a.tif' did not answer.");
    };
    const { color, message, checks } = await make({ probeImage }).report(never);
    expect(color).toBe("RED");
    expect(message).toBe("FilesystemSource, tif: The storage of 'a.tif' did not answer.");
    expect(checks.map((check) => check.color)).toEqual(["RED", "GREEN"]);
  });

  it("is RED when a cache fails, and reveals nothing that only the log may contain", async () => {
    const attempt = async () => {
      throw new Error("connect ECONNREFUSED redis://me:hunter2@host");
    };
    const report = await make({ caches: [{ name: "RedisCache", attempt }] }).report(never);
    expect(report.color).toBe("RED");
    expect(report.message).toContain("RedisCache");
    expect(JSON.stringify(report)).not.toContain("hunter2");
  });

  it("is RED when a check does not end in time, and stops waiting for it", async () => {
    const signals: AbortSignal[] = [];
    const hangs = async (_: string, signal: AbortSignal) => {
      signals.push(signal);
      await new Promise(() => {});
    };
    const health = make({ probeImage: hangs }, { "endpoint.health.timeout": 0.1 });
    const { color, message } = await health.report(never);
    expect(color).toBe("RED");
    expect(message).toContain("within 0.1 s");
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });

  it("stays GREEN when one image was removed, which is then forgotten, and under overload", async () => {
    const forget = vi.fn();
    const probeImage = async (identifier: string) =>
      identifier === "a.tif" ? fail("missing", "There is none.") : fail("busy", "Too much.");
    const report = await make({ probeImage, forget, places: local(async () => "there") }).report(
      never,
    );
    expect(report.color).toBe("GREEN");
    expect(forget).toHaveBeenCalledWith("a.tif");
    expect(forget).toHaveBeenCalledOnce();
  });

  it("is RED when the images are gone and the source is empty", async () => {
    const probeImage = async () => fail("missing", "There is none.");
    const forget = vi.fn();
    const report = await make({ probeImage, forget, places: local(async () => "empty") }).report(
      never,
    );
    expect(report.color).toBe("RED");
    expect(forget).not.toHaveBeenCalled();
  });

  it("is YELLOW when memory or disk space becomes scarce, and RED when next to none is left", async () => {
    const mega = 2 ** 20;
    const colour = async (left: number) =>
      (
        await make({ memory: () => left }, { "endpoint.health.min_memory": 100 * mega }).report(
          never,
        )
      ).color;
    expect(await colour(200 * mega)).toBe("GREEN");
    expect(await colour(50 * mega)).toBe("YELLOW");
    expect(await colour(5 * mega)).toBe("RED");
    const disk = await make(
      { folders: () => [tmpdir()] },
      { "endpoint.health.min_disk_space": Number.MAX_SAFE_INTEGER },
    ).report(never);
    expect(disk.color).toBe("RED");
    expect(disk.message).toContain("disk space 1: Only");
    const gone = await make(
      { folders: () => ["/there is no such folder"] },
      { "endpoint.health.min_disk_space": 1 },
    ).report(never);
    expect(gone.color).toBe("RED");
    expect(gone.message).not.toContain("no such folder");
  });

  it("runs once for concurrent callers", async () => {
    let asked = 0;
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const probeImage = async () => {
      asked++;
      await gate;
    };
    const health = make({ probeImage });
    const reports = Array.from({ length: 50 }, () => health.report(new AbortController().signal));
    await vi.waitFor(() => expect(asked).toBe(2));
    release();
    for (const { color } of await Promise.all(reports)) expect(color).toBe("GREEN");
    expect(asked).toBe(2);
  });

  it("is ready as long as the source can be reached, whatever else fails", async () => {
    const attempt = async () => fail("upstream", "Gone.");
    const caches = [{ name: "RedisCache", attempt }];
    expect((await make({ caches, places: local(async () => "empty") }).ready(never)).color).toBe(
      "GREEN",
    );
    const away = async () => fail("upstream", "The folder of the images cannot be read.");
    expect(await make({ places: local(away) }).ready(never)).toMatchObject({
      color: "RED",
      message: "source: The folder of the images cannot be read.",
    });
  });
});

describe("images that worked", () => {
  it("are remembered one for each format, and forgotten by name", () => {
    const served = new ServedImages();
    served.note({ source: "S", format: "tif", identifier: "a" });
    served.note({ source: "S", format: "tif", identifier: "b" });
    served.note({ source: "S", format: "jpg", identifier: "c" });
    expect(served.all.map(({ identifier }) => identifier)).toEqual(["b", "c"]);
    served.forget("b");
    expect(served.all.map(({ identifier }) => identifier)).toEqual(["c"]);
  });
});

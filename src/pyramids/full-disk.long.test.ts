import { execFileSync } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { singleFile } from "../sources/file-reader.ts";
import { PageConverter } from "./converting.ts";

const { signal } = new AbortController();

/** Mounts a file system of so many bytes; undefined where that is not allowed. */
const small = async (bytes: number): Promise<string | undefined> => {
  const folder = await temporaryFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder], {
      stdio: "ignore",
    });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  return folder;
};

it("a disk that becomes full while a pyramid is made is no reason to refuse the image", async ({
  skip,
}) => {
  const folder = await small(4_000_000);
  if (folder === undefined) return skip("no file system can be mounted here");
  const from = join(await temporaryFolder(), "a.png");
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  const size = { width: 2_000, height: 2_000 };
  const image = sharp({ create: { ...size, channels: 3, background: "#888", noise } });
  await writeFile(from, await image.png({ compressionLevel: 0 }).toBuffer());
  const reader = await singleFile(from);
  onTestFinished(() => reader.close());
  const page = {
    ...{ size, orientation: 1, levels: [{ size, tile: size }] },
    colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
  } as const;
  const job = {
    image: { info: { format: "png", pages: [page] }, object: {}, version: "1" },
    ...{ page, facts: { identifier: "a.png", page: 1, size, sourceBytes: reader.size } },
  };
  const limits = {
    ...{ maxSize: 1e9, memory: 1e9, timeoutMs: 60_000, niceness: 0, quality: 88, maxDownload: 0 },
    encoding: "auto",
    minSide: 64,
  } as const;
  const conversion = { job, reader, from, to: join(folder, "pyramid.tif") };
  const converted = new PageConverter().convert(
    conversion as unknown as Parameters<PageConverter["convert"]>[0],
    { limits, values: new Config().current },
    { signal, onProgress: () => {} },
  );
  const error = await converted.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ServerError);
  expect(error).toMatchObject({ failure: "busy", message: expect.stringContaining("ENOSPC") });
  expect(await readdir(folder)).toEqual([]);
});

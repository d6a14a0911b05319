import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listPictures } from "./gallery.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-gallery-"));
  await mkdir(join(folder, "sub folder/deep"), { recursive: true });
  await mkdir(join(folder, ".hidden"));
  for (const name of [
    "page 10.TIF",
    "page 2.tif",
    "notes.txt",
    "noextension",
    "drawing.svg",
    ".secret.jpg",
    ".hidden/a.jpg",
    "sub folder/deep/ü.jpeg",
  ])
    await writeFile(join(folder, name), "");
  await symlink("/etc/hostname", join(folder, "link.jpg"));
});
afterAll(() => rm(folder, { recursive: true }));

const options = {
  limit: 500,
  formats: ["jpg", "tif"],
  signal: new AbortController().signal,
} as const;

test("recognises images by extension and sorts them in natural order", async () => {
  expect(await listPictures(folder, options)).toEqual([
    { identifier: "sub folder/deep/ü.jpeg", title: "ü.jpeg" },
    { identifier: "page 2.tif", title: "page 2.tif" },
    { identifier: "page 10.TIF", title: "page 10.TIF" },
  ]);
});

test("lists no more than requested", async () => {
  expect(await listPictures(folder, { ...options, limit: 2 })).toHaveLength(2);
  expect(await listPictures(folder, { ...options, limit: 0 })).toEqual([]);
});

test("ends an aborted walk", async () => {
  await expect(listPictures(folder, { ...options, signal: AbortSignal.abort() })).rejects.toThrow(
    /abort/i,
  );
});

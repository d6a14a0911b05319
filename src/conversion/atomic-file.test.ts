import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { FileExists, writeAtomically } from "./atomic-file.ts";

test("a file is there once it is whole, and nothing beside it", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "a.tif");
  const result = await writeAtomically(path, { replace: false }, async ({ file, aside }) => {
    await file.write("whole");
    await writeFile(aside, "aside");
    expect(await readdir(folder)).not.toContain("a.tif");
    return 7;
  });
  expect(result).toBe(7);
  expect(await readFile(path, "utf8")).toBe("whole");
  expect(await readdir(folder)).toEqual(["a.tif"]);
});

test("a file that appears while another is written for its place stays, unless it may be replaced", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "a.tif");
  const write = (replace: boolean) =>
    writeAtomically(path, { replace }, async ({ file }) => {
      await file.write("ours");
      await writeFile(path, "theirs");
    });
  await expect(write(false)).rejects.toBeInstanceOf(FileExists);
  expect(await readFile(path, "utf8")).toBe("theirs");
  await write(true);
  expect(await readFile(path, "utf8")).toBe("ours");
  expect(await readdir(folder)).toEqual(["a.tif"]);
});

test("nothing is left of what could not be written whole", async () => {
  const folder = await temporaryFolder();
  const written = writeAtomically(join(folder, "a.tif"), { replace: true }, async ({ file }) => {
    await file.write("half");
    throw new Error("the disk is full");
  });
  await expect(written).rejects.toThrow("the disk is full");
  expect(await readdir(folder)).toEqual([]);
});

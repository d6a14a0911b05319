import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drawPictures } from "../e2e/pictures.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { serve, start } from "./program.ts";

/** A configuration with two bad values, under a name. */
const prepare = async (name: string): Promise<string> => {
  const folder = await temporaryFolder();
  await drawPictures(folder);
  const path = join(folder, name);
  const lines = [
    `FilesystemSource.BasicLookupStrategy.path_prefix = ${folder}/`,
    "max_pixels = many",
    "processor.jpg.quality = 800",
  ];
  await writeFile(path, lines.join("\n"));
  return path;
};

test("a Cantaloupe configuration starts the server despite invalid values, which are logged as errors", async () => {
  const path = await prepare("cantaloupe.properties");
  const { base, stderr, stdout } = await serve(["--config", path], {
    env: { HTTP_HOST: "127.0.0.1", HTTP_WORKERS: "1" },
  });
  const { status } = await fetch(`${base}/iiif/1/small.png/full/full/0/native.jpg`);
  expect(status).toBe(200);
  const said = stderr() + stdout();
  expect(said).toContain(`The server behaves like Cantaloupe`);
  expect(said).toMatch(/ERROR +max_pixels: expected .* 0 holds instead, as in Cantaloupe\./);
  expect(said).toMatch(/ERROR +processor\.jpg\.quality: expected .* 80 holds instead/);
});

test("any other configuration with invalid values does not", async () => {
  const path = await prepare("site.properties");
  const { code, stderr } = await start(["serve", "--config", path]).ended;
  expect(code).toBe(2);
  expect(stderr).toContain("error: max_pixels: expected");
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drawSmall } from "../e2e/pictures.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { run, serve, until } from "./program.ts";

const path = "/iiif/3/small.png/full/max/0/default.jpg";

test("a manual purge reaches the memory of a running server", async () => {
  const cwd = await temporaryFolder();
  await drawSmall(cwd, "small.png");
  await writeFile(
    join(cwd, "vitrine.properties"),
    `http.workers = 1
http.server_timing = all
FilesystemSource.BasicLookupStrategy.path_prefix = ${cwd}/
cache.server.derivative.enabled = true
cache.server.derivative = FilesystemCache
FilesystemCache.pathname = ${join(cwd, "cache")}
`,
  );
  const { base } = await serve([], { cwd });
  const isDrawn = async (): Promise<boolean> => {
    const answer = await fetch(base + path);
    await answer.arrayBuffer();
    expect(answer.status).toBe(200);
    return /\bdraw\b/.test(answer.headers.get("server-timing") ?? "");
  };
  expect(await isDrawn()).toBe(true);
  expect(await isDrawn()).toBe(false);
  const other = await run(["cache", "purge", "--identifier", "other.png"], { cwd });
  expect(other.stdout).toContain("Removed 0 entries");
  const purged = await run(["cache", "purge", "--identifier", "small.png"], { cwd });
  expect(purged.stdout).toMatch(/Removed [12] entr(?:y|ies) of 'small\.png'/);
  await until(isDrawn, (drawn) => drawn);
});

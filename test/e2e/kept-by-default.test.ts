import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { AccessEntry } from "../../src/logging/access.ts";
import { startServer, type TestServer } from "./app.ts";
import { asImage, drawGrid } from "./grid.ts";

const path = "/iiif/3/a.png/full/64,/0/default.jpg";

let server: TestServer | undefined;
afterEach(() => server?.close());

/** For each of some requests, whether its image was rendered. */
const drawn = async (
  values: Readonly<Record<string, unknown>>,
  asked: readonly string[],
): Promise<readonly boolean[]> => {
  const entries: AccessEntry[] = [];
  server = await startServer(
    async (folder) =>
      writeFile(
        join(folder, "a.png"),
        await asImage(drawGrid(300, 200, { square: 20, seed: 1 }))
          .png()
          .toBuffer(),
      ),
    values,
    { access: (entry) => entries.push(entry) },
  );
  for (const target of asked) expect((await server.ask(target)).status).toBe(200);
  return entries.map(({ stages }) => Object.keys(stages ?? {}).includes("wait"));
};

it("derivatives are cached in memory by default, and rendered again on request", async () => {
  const asked = [path, path, `${path}?cache=recache`, path];
  expect(await drawn({}, asked)).toEqual([true, false, true, false]);
  const headers = (await server?.ask(path))?.headers;
  const etag = headers?.etag ?? "";
  expect(await server?.ask(path, { headers: { "if-none-match": etag } })).toMatchObject({
    status: 304,
  });
});

it("none is cached if that is disabled", async () => {
  const values = { "cache.server.derivative.enabled": false };
  expect(await drawn(values, [path, path])).toEqual([true, true]);
});

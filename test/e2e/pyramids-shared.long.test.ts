import { readdir, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Images } from "../../src/service/images.ts";
import { azuriteMissing, azuriteProgram, startAzurite } from "../servers/azurite.ts";
import { s3Missing, s3Program, startS3 } from "../servers/s3.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { startServer } from "./app.ts";
import { asImage, drawGrid } from "./grid.ts";

const size = { width: 3_001, height: 2_503 };

/** A server on a folder of images, and whether its last request used a pyramid. */
const serverOn = async (images: string, values: Readonly<Record<string, unknown>>) => {
  const made = await temporaryFolder();
  let isUsed = false;
  const watched = (given: Images): Images => ({
    ...given,
    async prepare(...asked) {
      const prepared = await given.prepare(...asked);
      isUsed = prepared.pyramid !== undefined;
      return prepared;
    },
    prepareSync(...asked) {
      const prepared = given.prepareSync(...asked);
      if (prepared) isUsed = prepared.pyramid !== undefined;
      return prepared;
    },
  });
  const server = await startServer(
    async () => {},
    {
      // The version of a file belongs to the file system that has it.
      "FilesystemSource.BasicLookupStrategy.path_prefix": images + sep,
      "pyramids.folder": made,
      "pyramids.niceness": 0,
      "pyramids.min_pixels": 1_000_000,
      "cache.server.derivative.enabled": false,
      ...values,
    },
    { around: { images: watched, source: (one) => one } },
  );
  onTestFinished(() => server.close());
  const tile = async (): Promise<boolean> => {
    const answer = await server.ask("/iiif/3/a.jpg/1024,1536,512,512/512,512/0/default.jpg");
    expect(answer.status).toBe(200);
    return isUsed;
  };
  return { made, tile };
};

const untilUsed = async (tile: () => Promise<boolean>): Promise<void> => {
  for (let attempt = 0; !(await tile()); attempt++) {
    if (attempt > 600) throw new Error("The pyramid was not used within 600 requests.");
    await pause(100);
  }
};

const s3 = await s3Program();
const azurite = await azuriteProgram();

const places = [
  { name: "S3", lack: s3 ? undefined : s3Missing, start: () => startS3(s3 ?? "") },
  {
    name: "Azure Storage",
    lack: azurite ? undefined : azuriteMissing,
    start: () => startAzurite(azurite ?? ""),
  },
];

describe.each(places)("servers that share $name", ({ lack, start }) => {
  it.skipIf(lack)(
    `use the same pyramid, which one has made${lack ? ` (${lack})` : ""}`,
    async () => {
      const store = await start();
      onTestFinished(() => store.remove());
      const images = await temporaryFolder();
      const picture = asImage(drawGrid(size.width, size.height, { square: 301, seed: 5 }));
      await writeFile(join(images, "a.jpg"), await picture.jpeg({ quality: 92 }).toBuffer());
      const one = await serverOn(images, store.pyramidSettings);
      await untilUsed(one.tile);
      const objects = await store.open();
      onTestFinished(() => objects.close());
      const keys: string[] = [];
      for await (const page of objects.list("pyramid/", AbortSignal.timeout(20_000)))
        keys.push(...page.objects.map(({ key }) => key.replace(/^.*\./, "")));
      expect(keys).toEqual(["json", "tif"]);
      // The first request of another server finds it; that server makes none.
      const other = await serverOn(images, store.pyramidSettings);
      expect(await other.tile()).toBe(true);
      expect(await readdir(other.made)).toEqual([]);
    },
    180_000,
  );
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { json, startServer, type TestServer } from "../../test/e2e/app.ts";
import { memoryReader } from "../../test/readers.ts";
import { toyFile } from "../../test/toy-format/index.ts";
import { keyGroups } from "../app/keys.ts";
import { Config } from "../config/store.ts";
import { availability } from "./availability.ts";
import { readMetadata } from "./embedded-metadata.ts";

// Besides its own folder, a format is one line in the list.
vi.mock("./formats.ts", async (original) => {
  const { formats } = await original<typeof import("./formats.ts")>();
  const { toy } = await import("../../test/toy-format/index.ts");
  return { formats: [...formats, toy] };
});

const colour = [10, 200, 60];
const file = toyFile(40, 30, colour);

describe("a format added by one record and one line in the list", () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer(
      async (folder) => {
        await writeFile(join(folder, "block.toy"), file);
        await writeFile(join(folder, "disguised.jpg"), file);
        await writeFile(join(folder, "wide.toy"), toyFile(90, 2, colour));
      },
      { "processor.toy.max_side": 80 },
    );
  });

  afterAll(() => server.close());

  test.each(["block.toy", "disguised.jpg"])("is detected and served: %s", async (name) => {
    const info = await json(await server.ask(`/iiif/3/${name}/info.json`));
    expect(info).toMatchObject({ width: 40, height: 30 });
    const { status, body } = await server.ask(`/iiif/3/${name}/10,10,20,20/5,5/0/default.png`);
    expect(status).toBe(200);
    const pixels = await sharp(body).raw().toBuffer();
    expect([...pixels.subarray(0, 3)]).toEqual(colour);
    expect(pixels).toHaveLength(5 * 5 * 3);
  });

  test("applies its own configuration keys", async () => {
    expect((await server.ask("/iiif/3/wide.toy/info.json")).status).toBe(501);
  });

  test("is listed with its reader, and its keys are documented", async () => {
    const found = await availability(new Config());
    expect(found.find(({ format }) => format === "toy")).toMatchObject({
      name: "Toy",
      read: { available: true, by: "Vitrine" },
      write: { available: false },
    });
    expect(keyGroups.some(({ keys }) => "processor.toy.max_side" in keys)).toBe(true);
  });

  test("has its metadata read", async () => {
    const { signal } = new AbortController();
    const { native } = await readMetadata(memoryReader(file), { format: "toy" }, signal);
    expect(native).toEqual([{ name: "maker", value: "a child" }]);
  });
});

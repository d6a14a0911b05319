import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ImagePlace, type ImagePlaces, imagePlaces } from "../servers/images.ts";
import { startServer, type TestServer } from "./app.ts";
import { drawPictures } from "./pictures.ts";

const there = (await imagePlaces()).filter(({ missing }) => missing === undefined);
const places: ImagePlace[] = [];
let server: TestServer;

/** The rule for one place, with settings of its own. */
const ruleOf = ({ source, name }: ImagePlaces, { settings }: ImagePlace, number: number) => {
  const rule = `source.rules.${number}`;
  return Object.entries({
    pattern: `^${name.toLowerCase().replaceAll(" ", "-")}/(.+)$`,
    source,
    identifier: "$1",
    ...settings,
  }).map(([key, value]) => [`${rule}.${key}`, value] as const);
};

beforeAll(async () => {
  for (const { start } of there) places.push(await start());
  const rules = there.flatMap((kind, at) => {
    const place = places[at];
    return place ? ruleOf(kind, place, at + 1) : [];
  });
  server = await startServer(async (folder) => {
    await drawPictures(folder);
    await mkdir(join(folder, "sqlite"), { recursive: true });
  }, Object.fromEntries(rules));
  for (const place of places)
    await place.put("maps/large.tif", await readFile(join(server.folder, "large.tif")));
}, 120_000);

afterAll(async () => {
  await server?.close();
  for (const place of places) await place.remove();
});

describe("rules by identifier", () => {
  it(`serve images from ${there.map(({ name }) => name).join(", ")} and a folder at once`, async () => {
    const tile = "0,0,1024,1024/256,256/0/default.png";
    const local = await server.ask(`/iiif/3/large.tif/${tile}`);
    expect(local.status).toBe(200);
    for (const { name } of there) {
      const identifier = `${name.toLowerCase().replaceAll(" ", "-")}%2Fmaps%2Flarge.tif`;
      const answer = await server.ask(`/iiif/3/${identifier}/${tile}`);
      expect(answer.status, name).toBe(200);
      expect(answer.body.equals(local.body), name).toBe(true);
      const info = await server.ask(`/iiif/3/${identifier}/info.json`);
      expect(JSON.parse(info.body.toString()).id).toBe(`${server.base}/iiif/3/${identifier}`);
    }
  });

  it("report missing images by the identifier in the URL", async () => {
    const { status, body } = await server.ask("/iiif/3/sqlite%2Fnothing.tif/info.json");
    expect(status).toBe(404);
    expect(body.toString()).toContain("There is no image 'sqlite/nothing.tif'.");
  });
});

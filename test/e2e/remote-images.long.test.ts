import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ImagePlace, imagePlaces } from "../servers/images.ts";
import { type Answer, startServer, type TestServer } from "./app.ts";
import { asImage } from "./grid.ts";
import { drawPictures, large } from "./pictures.ts";

/** A viewer's requests for a pyramid and for an image without tiles. */
const paths = [
  "large.tif/info.json",
  "large.tif/0,0,128,128/128,128/0/default.jpg",
  "large.tif/1408,1024,92,76/92,76/0/default.jpg",
  "large.tif/0,0,1024,1024/256,256/0/default.png",
  "large.tif/full/max/0/default.png",
  "maps%2Flarge.jpg/info.json",
  "maps%2Flarge.jpg/0,0,512,512/256,256/0/default.jpg",
  "maps%2Flarge.jpg/full/300,/90/gray.png",
];

const draw = async (folder: string): Promise<void> => {
  await drawPictures(folder);
  await mkdir(join(folder, "maps"), { recursive: true });
  await asImage(large)
    .jpeg({ quality: 90 })
    .toFile(join(folder, "maps", "large.jpg"));
};

const plain = { "cache.server.derivative.enabled": false };
/** The server's info of an image, whatever its address. */
const shown = (base: string, { body }: Answer): string =>
  body.toString("latin1").replaceAll(base, "");

let local: TestServer;
beforeAll(async () => {
  local = await startServer(draw, plain);
});
afterAll(() => local?.close());

for (const { name, source, missing, start } of await imagePlaces())
  describe.skipIf(missing !== undefined)(
    `images in ${name}${missing === undefined ? "" : ` (${missing})`}`,
    () => {
      let place: ImagePlace;
      let server: TestServer;

      beforeAll(async () => {
        place = await start();
        for (const file of ["large.tif", "maps/large.jpg"])
          await place.put(file, await readFile(join(local.folder, file)));
        server = await startServer(async () => {}, {
          ...plain,
          ...place.settings,
          "source.static": source,
        });
      }, 60_000);
      afterAll(async () => {
        await server?.close();
        await place?.remove();
      });

      it.each(paths)("are served like local ones: %s", async (path) => {
        const [here, there] = await Promise.all([
          local.ask(`/iiif/3/${path}`),
          server.ask(`/iiif/3/${path}`),
        ]);
        expect([here.status, there.status]).toEqual([200, 200]);
        expect(shown(server.base, there) === shown(local.base, here)).toBe(true);
        expect(there.headers["content-type"]).toBe(here.headers["content-type"]);
      });

      it("are not found if they do not exist", async () => {
        const { status, body } = await server.ask("/iiif/3/nothing.tif/info.json");
        expect(status).toBe(404);
        expect(body.toString()).toContain("There is no image 'nothing.tif'.");
      });

      it("are served in the new version after replacement", async () => {
        await place.put("other.jpg", await asImage(large).jpeg().toBuffer());
        const before = await server.ask("/iiif/3/other.jpg/full/max/0/default.png");
        await place.put("other.jpg", await asImage(large).negate().jpeg().toBuffer());
        const info = await server.ask("/iiif/3/other.jpg/info.json?cache=recache");
        expect(info.status).toBe(200);
        const after = await server.ask("/iiif/3/other.jpg/full/max/0/default.png?cache=recache");
        expect(after.status).toBe(200);
        expect(after.body.equals(before.body)).toBe(false);
      });
    },
  );

import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./app.ts";
import { expectRefusal, expectShown } from "./checks.ts";
import { type Edge, formatEdges, regionEdges, rotationEdges, sizeEdges } from "./edges.ts";
import { drawPictures, small } from "./pictures.ts";
import { type ApiVersion, apiVersions, basePath, imagePath } from "./requests.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer(drawPictures, { "endpoint.iiif.1.enabled": true });
});
afterAll(() => server.close());

const check = async (version: ApiVersion, edge: Edge): Promise<void> => {
  // Colours are compared without JPEG's loss, unless the format matters.
  const format = edge.format ?? (edge.shown === undefined ? "jpg" : "png");
  const answer = await server.ask(imagePath(version, "small.png", { ...edge, format }));
  if (edge.shown !== undefined) await expectShown(answer, small, edge.shown);
  else if (edge.status === 200) {
    expect(answer.status, answer.body.toString("latin1").slice(0, 300)).toBe(200);
    // Readable to the end.
    await sharp(answer.body).stats();
  } else expectRefusal(answer, [edge.status ?? 400]);
};

const said = (edge: Edge): string => {
  const { region, size, rotation, quality, format } = edge;
  const parts = Object.entries({ region, size, rotation, quality, format });
  return parts
    .flatMap(([part, text]) => (text === undefined ? [] : `${part} "${text}"`))
    .join(", ");
};

const outcome = ({ status, shown }: Edge): string =>
  status === undefined && shown !== undefined
    ? "shows what it names"
    : `is answered with ${status}`;

describe.each(apiVersions)("version %s", (version) => {
  describe.each([
    ["region", regionEdges],
    ["size", sizeEdges],
    ["rotation", rotationEdges],
    ["quality and format", formatEdges],
  ] as const)("%s", (_part, edges) => {
    for (const edge of edges)
      if (edge.versions === undefined || edge.versions.includes(version))
        it(`${said(edge)} ${outcome(edge)}`, () => check(version, edge));
  });

  it("rotates and mirrors as in the specifications' worked example", async () => {
    const parts = { region: "125,15,120,140", size: "90,", quality: "gray" };
    const rotation = version === 1 ? "345" : "!345";
    const answer = await server.ask(imagePath(version, "small.png", { ...parts, rotation }));
    expect(answer.status).toBe(200);
    const { width, height } = await sharp(answer.body).metadata();
    expect(Math.abs(width - 114)).toBeLessThanOrEqual(1);
    expect(Math.abs(height - 125)).toBeLessThanOrEqual(1);
  });

  it.each([
    "small.png/full",
    "small.png/full/full",
    "small.png/full/full/0",
    "small.png/full/full/0/native.jpg/more",
    "small.png/full/full/0/default.jpg/info.json",
    "small.png/info.json/info.json",
    "small.png/Info.json",
    "small.png//full/0/default.jpg",
    "/full/full/0/default.jpg",
    "a/b/full/full/0/default.jpg",
  ])("finds nothing at %s", async (rest) => {
    expectRefusal(await server.ask(`/iiif/${version}/${rest}`), [404]);
  });

  it.each(["default", ".jpg", "default.", "jpg", "."])(
    "rejects %s as quality and format",
    async (last) => {
      // In version 1 a lone quality is complete, but none of these is one.
      const size = version === 3 ? "max" : "full";
      const path = `${basePath(version, "small.png")}/full/${size}/0/${last}`;
      expectRefusal(await server.ask(path), version === 1 ? [400, 415] : [400]);
    },
  );

  it.each(["%", "%2", "%zz", "%ff", "%c0%af", "%ed%a0%80"])(
    "rejects the invalid percent code %s in every segment",
    async (broken) => {
      const size = version === 3 ? "max" : "full";
      const segments = [
        "small.png",
        "full",
        size,
        "0",
        version === 1 ? "native.jpg" : "default.jpg",
      ];
      for (const place of segments.keys()) {
        const path = segments.with(place, `${broken}${segments[place]}`).join("/");
        expectRefusal(await server.ask(`/iiif/${version}/${path}`), [400]);
      }
    },
  );

  it.each(["?foo=bar", "?", "?=x", "?%", "?cache=bogus", "?a=1&a=2", "?page=x", "?%ff=%ff"])(
    "ignores the query %s",
    async (query) => {
      const answer = await server.ask(imagePath(version, "small.png") + query);
      await expectShown(answer, small, { region: [0, 0, 300, 200], size: [300, 200] });
    },
  );
});

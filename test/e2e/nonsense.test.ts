import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./app.ts";
import { drawPictures } from "./pictures.ts";
import { apiVersions, imagePath, infoPath } from "./requests.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer(drawPictures, { "endpoint.iiif.1.enabled": true });
});
afterAll(() => server.close());

const sound = apiVersions.flatMap((version) => [
  infoPath(version, "small.png"),
  imagePath(version, "small.png"),
  imagePath(version, "small.png;1;1:2", { region: "10,10,50,50", size: "!20,20" }),
  imagePath(version, "small.png", {
    region: "pct:1.5,2,50,50",
    size: "pct:12.5",
    rotation: "22.5",
  }),
]);

/** Whatever a request line may contain: printable characters, and bytes beyond ASCII. */
const character = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(..."%/,:;!^.?&=#\\0159-+*~'\"<>[]{}|`@()") },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 0, max: 255 })
      .map((byte) => `%${byte.toString(16).padStart(2, "0")}`),
  },
);

const change = fc.record({
  place: fc.nat(1000),
  removed: fc.nat(3),
  added: fc.array(character, { maxLength: 4 }).map((characters) => characters.join("")),
});

const path = fc
  .tuple(fc.constantFrom(...sound), fc.array(change, { minLength: 1, maxLength: 3 }))
  .map(([start, changes]) =>
    changes.reduce((text, { place, removed, added }) => {
      const at = 1 + (place % (text.length - 1));
      return text.slice(0, at) + added + text.slice(at + removed) + (text.length < 8 ? "/" : "");
    }, start),
  );

describe("nonsense requests", () => {
  it("get a status that says whose mistake it is", async () => {
    const known = [200, 204, 301, 303, 400, 403, 404, 405, 414, 415, 501];
    await fc.assert(
      fc.asyncProperty(path, async (asked) => {
        const answer = await server.ask(asked);
        expect(known, `${asked}: ${answer.body.toString("latin1").slice(0, 300)}`).toContain(
          answer.status,
        );
        if (asked.startsWith("/iiif/"))
          expect(answer.headers["access-control-allow-origin"]).toBe("*");
      }),
      { numRuns: 800, seed: 11 },
    );
  });
});

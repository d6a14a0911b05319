import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./app.ts";
import { linksOf } from "./checks.ts";
import { drawPictures } from "./pictures.ts";

let server: TestServer;
let enlarging: TestServer;
beforeAll(async () => {
  server = await startServer(drawPictures);
  enlarging = await startServer(drawPictures, { max_scale: 2 });
});
afterAll(async () => {
  await server.close();
  await enlarging.close();
});

/** What follows the identifier in the canonical link of a request. */
const canonicalOf = async (asked: TestServer, base: string, rest: string): Promise<string> => {
  const answer = await asked.ask(`${base}/${rest}`);
  expect(answer.status, answer.body.toString("latin1").slice(0, 300)).toBe(200);
  const link = linksOf(answer).canonical ?? "";
  const prefix = `${asked.base}${base}/`;
  expect(link.startsWith(prefix), link).toBe(true);
  const canonical = link.slice(prefix.length);
  // A canonical URL is its own canonical URL, and the same image.
  const again = await asked.ask(`${base}/${canonical}`);
  expect(linksOf(again).canonical).toBe(link);
  expect(again.body.equals(answer.body)).toBe(true);
  return canonical;
};

describe("the canonical link of version 3 (3.0 §4.8)", () => {
  it.each([
    ["full/max/0/default.jpg", "full/max/0/default.jpg"],
    ["full/300,/0/default.jpg", "full/max/0/default.jpg"],
    ["full/,200/0/default.jpg", "full/max/0/default.jpg"],
    ["full/300,200/0/default.jpg", "full/max/0/default.jpg"],
    ["full/pct:100/0/default.jpg", "full/max/0/default.jpg"],
    ["full/^max/0/default.jpg", "full/max/0/default.jpg"],
    ["full/!360,360/0/default.jpg", "full/max/0/default.jpg"],
    ["full/150,/0/default.jpg", "full/150,100/0/default.jpg"],
    ["full/^150,/0/default.jpg", "full/150,100/0/default.jpg"],
    ["full/!30,30/0/default.jpg", "full/30,20/0/default.jpg"],
    ["full/pct:50/0/default.jpg", "full/150,100/0/default.jpg"],
    ["0,0,300,200/max/0/default.jpg", "full/max/0/default.jpg"],
    ["0,0,9999,9999/max/0/default.jpg", "full/max/0/default.jpg"],
    ["pct:0,0,100,100/max/0/default.jpg", "full/max/0/default.jpg"],
    ["200,150,200,100/max/0/default.jpg", "200,150,100,50/max/0/default.jpg"],
    ["200,150,200,100/50,/0/default.jpg", "200,150,100,50/50,25/0/default.jpg"],
    ["square/max/0/default.jpg", "50,0,200,200/max/0/default.jpg"],
    ["pct:41.6,7.5,66.6,100/max/0/default.jpg", "125,15,175,185/max/0/default.jpg"],
    ["full/max/360/default.jpg", "full/max/0/default.jpg"],
    ["full/max/22.50/default.png", "full/max/22.5/default.png"],
    ["full/max/.5/default.png", "full/max/0.5/default.png"],
    ["full/max/90.0/default.jpg", "full/max/90/default.jpg"],
    ["full/max/!0.0/default.jpg", "full/max/!0/default.jpg"],
    ["full/max/0/color.jpg", "full/max/0/default.jpg"],
    ["full/max/0/gray.jpg", "full/max/0/gray.jpg"],
    ["full/max/0/bitonal.png", "full/max/0/bitonal.png"],
    ["full/%5E150%2C/%210/%67ray%2Ejpg", "full/150,100/!0/gray.jpg"],
  ])("of %s is %s", async (asked, canonical) => {
    expect(await canonicalOf(server, "/iiif/3/small.png", asked)).toBe(canonical);
  });

  it.each([
    ["full/^max/0/default.jpg", "full/^max/0/default.jpg"],
    ["full/^600,400/0/default.jpg", "full/^max/0/default.jpg"],
    ["full/^450,/0/default.jpg", "full/^450,300/0/default.jpg"],
    ["full/^300,/0/default.jpg", "full/max/0/default.jpg"],
    ["full/max/0/default.jpg", "full/max/0/default.jpg"],
    ["0,0,100,100/^150,/0/default.jpg", "0,0,100,100/^150,150/0/default.jpg"],
  ])("of %s is %s with enlarging enabled", async (asked, canonical) => {
    expect(await canonicalOf(enlarging, "/iiif/3/small.png", asked)).toBe(canonical);
  });
});

describe("the canonical link of version 2 (2.1 §4.7)", () => {
  it.each([
    ["full/full/0/default.jpg", "full/full/0/default.jpg"],
    ["full/max/0/default.jpg", "full/full/0/default.jpg"],
    ["full/300,/0/default.jpg", "full/full/0/default.jpg"],
    ["full/,100/0/default.jpg", "full/150,/0/default.jpg"],
    ["full/150,100/0/default.jpg", "full/150,/0/default.jpg"],
    ["full/150,20/0/default.jpg", "full/150,20/0/default.jpg"],
    ["full/!150,150/0/default.jpg", "full/150,/0/default.jpg"],
    ["0,0,300,200/full/0/default.jpg", "full/full/0/default.jpg"],
    ["200,150,200,100/full/0/default.jpg", "200,150,100,50/full/0/default.jpg"],
    ["full/full/!360/color.jpg", "full/full/!0/default.jpg"],
  ])("of %s is %s", async (asked, canonical) => {
    expect(await canonicalOf(server, "/iiif/2/small.png", asked)).toBe(canonical);
  });

  it("has both sides if the width alone would imply another height", async () => {
    const rest = "0,0,300,1000/,101/0/default.jpg";
    const canonical = "0,0,300,1000/30,101/0/default.jpg";
    expect(await canonicalOf(server, "/iiif/2/large.png", rest)).toBe(canonical);
  });

  it("writes a square as pixels, and an unscaled width as full", async () => {
    const rest = "square/200,/0/default.jpg";
    expect(await canonicalOf(server, "/iiif/2/small.png", rest)).toBe(
      "50,0,200,200/full/0/default.jpg",
    );
  });
});

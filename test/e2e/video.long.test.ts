import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { pixelsOf } from "../likeness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { ffmpegIsHere, ffmpegIsMissing, makeVideo } from "../video.ts";
import { json, startServer, type TestServer } from "./app.ts";

const colours: readonly (readonly number[])[] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
];

describe.skipIf(!ffmpegIsHere)("a video", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(async (folder) => {
      const film = join(folder, "film.mp4");
      makeVideo(film, ["red", "lime", "blue"], ["-c:v", "mpeg4", "-q:v", "2"]);
      await writeFile(join(folder, "broken.mp4"), "\0\0\0\x18ftypisom\0\0\0\0isommp41 no more");
    });
  });
  afterAll(() => server.close());

  it("is an image of the size of its frames", async () => {
    const info = json(await server.ask("/iiif/3/film.mp4/info.json"));
    expect(info).toMatchObject({ width: 160, height: 120 });
    expect(json(await server.ask("/iiif/2/film.mp4;1/info.json"))).toMatchObject({ width: 160 });
  });

  it.each([
    ["film.mp4", 0],
    ["film.mp4;1", 1],
    ["film.mp4%3B2", 2],
    ["film.mp4;1;1:2", 1],
  ])("shows as %s the content of second %i", async (identifier, second) => {
    const { status, body } = await server.ask(`/iiif/3/${identifier}/0,0,40,40/20,/0/default.png`);
    expect(status, body.subarray(0, 300).toString()).toBe(200);
    const { width, data } = await pixelsOf(body);
    expect(width).toBe(20);
    for (const [band, wanted] of (colours[second] ?? []).entries())
      expect(Math.abs((data[band] ?? 0) - wanted), `band ${band}`).toBeLessThan(12);
  });

  it("has nothing after its end", async () => {
    for (const path of ["info.json", "full/max/0/default.jpg"])
      expect((await server.ask(`/iiif/3/film.mp4;3/${path}`)).status).toBe(404);
    expect((await server.ask("/iiif/3/film.mp4;99999999/info.json")).status).toBe(404);
    expect((await server.ask("/iiif/3/film.mp4;0/info.json")).status).toBe(400);
  });

  it("can be paged through by seconds", async () => {
    const pages = async (identifier: string) =>
      json(await server.ask(`/static/pages.json?identifier=${encodeURIComponent(identifier)}`));
    const film = { identifier: "film.mp4", unit: "second", pages: 2 };
    expect(await pages("film.mp4")).toEqual({ ...film, page: 0, next: "film.mp4;1" });
    expect(await pages("film.mp4;1")).toEqual({
      ...film,
      page: 1,
      previous: "film.mp4",
      next: "film.mp4;2",
    });
    expect(await pages("film.mp4;2")).toEqual({ ...film, page: 2, previous: "film.mp4;1" });
  });

  it("is rejected if damaged, and cannot be written", async () => {
    const { status, body } = await server.ask("/iiif/3/broken.mp4/info.json");
    expect(status).toBe(501);
    expect(body.toString()).not.toContain(server.folder);
    expect((await server.ask("/iiif/3/film.mp4/full/max/0/default.mp4")).status).toBe(400);
  });
});

describe.skipIf(!ffmpegIsHere)("an MPEG program stream", () => {
  /** The statuses of a second's info and of its image. */
  const statuses = async ({ ask }: TestServer, second: number): Promise<readonly number[]> => {
    const about = await ask(`/iiif/3/film.mpg;${second}/info.json`);
    const picture = await ask(`/iiif/3/film.mpg;${second}/full/max/0/default.jpg`);
    return [about.status, picture.status];
  };
  const film = (folder: string): void =>
    makeVideo(
      join(folder, "film.mpg"),
      ["red", "lime", "blue"],
      ["-c:v", "mpeg1video", "-q:v", "2"],
    );

  it("has as many seconds in its info as can be served", async () => {
    const server = await startServer(async (folder) => film(folder));
    const seen = [await statuses(server, 2), await statuses(server, 3), await statuses(server, 9)];
    await server.close();
    expect(seen).toEqual([
      [200, 200],
      [404, 404],
      [404, 404],
    ]);
  });

  it("of unknown length announces no second that was requested in vain", async () => {
    const programs = await temporaryFolder();
    const script = (name: string, first: string) =>
      writeFile(join(programs, name), `#!/bin/sh\n${first}\nexec ${name} "$@"\n`, { mode: 0o755 });
    await script("ffmpeg", ":");
    await script("ffprobe", 'case "$*" in *packet=*) exit 1;; esac');
    const server = await startServer(async (folder) => film(folder), {
      "FfmpegProcessor.path_to_binaries": programs,
    });
    const seen = [await statuses(server, 9), await statuses(server, 5), await statuses(server, 2)];
    const later = [await statuses(server, 9), await statuses(server, 5), await statuses(server, 2)];
    await server.close();
    expect(seen).toEqual([
      [200, 404],
      [200, 404],
      [200, 200],
    ]);
    expect(later).toEqual([
      [404, 404],
      [404, 404],
      [200, 200],
    ]);
  });
});

test("a video without ffmpeg is answered with 501, which names it", async () => {
  const server = await startServer(
    (folder) => writeFile(join(folder, "film.webm"), "\x1a\x45\xdf\xa3 and so on", "latin1"),
    { "FfmpegProcessor.path_to_binaries": "/nowhere" },
  );
  const { status, body } = await server.ask("/iiif/3/film.webm/info.json");
  await server.close();
  expect(status).toBe(501);
  expect(body.toString()).toContain("the program ffmpeg is missing");
});

if (!ffmpegIsHere) test(ffmpegIsMissing, ({ skip }) => skip(ffmpegIsMissing));

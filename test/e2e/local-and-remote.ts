import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { type Origin, startOrigin } from "../servers/origin.ts";
import { type Answer, json, startServer, type TestServer } from "./app.ts";

/** Two servers of the same images: one with a folder, the other with a web server. */
export interface Pair {
  readonly local: TestServer;
  readonly remote: TestServer;
  readonly origin: Origin;
  /** Puts an image where both have it. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

const plain = { "cache.server.derivative.enabled": false };

export const startPair = async (): Promise<Pair> => {
  const origin = await startOrigin();
  const local = await startServer(async () => {}, plain);
  const remote = await startServer(async () => {}, {
    ...plain,
    "source.static": "HttpSource",
    "HttpSource.BasicLookupStrategy.url_prefix": `${origin.base}/`,
    // So that nothing is looked up again while requests are counted.
    "cache.server.info.trust_seconds": 600,
  });
  return {
    local,
    remote,
    origin,
    async put(name, bytes) {
      origin.files.set(`/${name}`, { bytes, etag: `"${name} ${bytes.length}"` });
      await writeFile(join(local.folder, name), bytes);
    },
    async close() {
      await Promise.all([local.close(), remote.close(), origin.close()]);
    },
  };
};

interface Tiling {
  readonly width: number;
  readonly height?: number;
  readonly scaleFactors: readonly number[];
}

/**
 * Tiles of each scale factor at the beginning and at the end of an image, largest scale first, and
 * other requests.
 */
const pathsOf = (info: ReturnType<typeof json>): readonly string[] => {
  const [width, height] = [Number(info.width), Number(info.height)];
  const tilings = (info.tiles ?? []) as readonly Tiling[];
  const tiles = tilings.flatMap((tiling) =>
    tiling.scaleFactors.flatMap((factor) => {
      const [across, down] = [tiling.width * factor, (tiling.height ?? tiling.width) * factor];
      const last = (side: number, cell: number): number => (Math.ceil(side / cell) - 1) * cell;
      return [
        [0, 0],
        [last(width, across), last(height, down)],
      ].map(([x = 0, y = 0]) => {
        const [w, h] = [Math.min(across, width - x), Math.min(down, height - y)];
        const size = `${Math.ceil(w / factor)},${Math.ceil(h / factor)}`;
        return `/${x},${y},${w},${h}/${size}/0/default.jpg`;
      });
    }),
  );
  const crop = `/0,0,${Math.min(width, 90)},${Math.min(height, 70)}`;
  const size = (by: number): string =>
    `${Math.max(1, Math.round(Math.min(width, 90) / by))},${Math.max(1, Math.round(Math.min(height, 70) / by))}`;
  const others = [1, 1.5, 1.9, 2.1, 3].map((by) => `${crop}/${size(by)}/0/default.png`);
  return [...others, ...tiles, "/full/!100,100/90/gray.png"];
};

/** Expects the same response of both. */
export const expectAlike = async (path: string, { local, remote }: Pair): Promise<void> => {
  const [here, there] = [await local.ask(path), await remote.ask(path)];
  expect([path, there.status, told(there, remote)]).toEqual([path, here.status, told(here, local)]);
};

/** A body without what differs between servers and requests. */
const told = ({ status, body, headers }: Answer, { base }: TestServer): string => {
  const isText = status >= 400 || String(headers["content-type"]).includes("json");
  if (!isText) return createHash("sha256").update(body).digest("hex");
  return body
    .toString()
    .replaceAll(base, "")
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "");
};

/**
 * Expects the same responses to everything a viewer requests of an image, beginning with info.json.
 */
export const expectAllAlike = async (name: string, pair: Pair): Promise<void> => {
  const base = `/iiif/3/${name}`;
  await expectAlike(`${base}/info.json`, pair);
  const info = await pair.local.ask(`${base}/info.json`);
  if (info.status !== 200) return;
  for (const path of pathsOf(json(info))) await expectAlike(base + path, pair);
  // Now that everything is known of it.
  await expectAlike(`${base}/info.json`, pair);
  await expectAlike(`${base};2/info.json`, pair);
  await expectAlike(`${base};2/full/!90,90/0/default.png`, pair);
};

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Cache } from "../caches/cache.ts";
import { infoPrefix } from "../caches/names.ts";
import type { SourceFiles } from "../caches/source-files.ts";
import { fail, ServerError } from "../core/errors.ts";
import { upright } from "../core/geometry.ts";
import type { Images } from "./images.ts";

/** The side in pixels of the region rendered by a probe. */
const side = 64;

/**
 * Finds an image, reads its info and renders a small region, bypassing caches; throws as serving it
 * would.
 */
export const probeImage = async (
  images: Images,
  identifier: string,
  signal: AbortSignal,
): Promise<void> => {
  const context = { requestId: "health", identifier, signal };
  const { info } = await images.know(context, "bypass");
  const [page] = info.pages;
  const { width, height } = upright(page.size, page.orientation);
  const size = { width: Math.min(side, width), height: Math.min(side, height) };
  const request = {
    id: { identifier, page: 1, constraint: { numerator: 1, denominator: 1 } },
    region: { kind: "pixels", rect: { x: 0, y: 0, ...size } },
    size: { kind: "exact", upscale: false, ...size },
    mirror: false,
    rotation: 0,
    quality: "default",
    format: "jpg",
  } as const;
  try {
    const prepared = await images.prepare(request, context, "bypass");
    await images.draw(prepared, context, "bypass");
  } catch (error) {
    // Settings may forbid this very region; requests for others are fine.
    const isRefused =
      error instanceof ServerError && ["denied", "malformed"].includes(error.failure);
    if (!isRefused) throw error;
  }
};

/** Writes a test entry to a cache, reads it and removes it; throws where any of that fails. */
export const probeCache = async (cache: Cache, signal: AbortSignal): Promise<void> => {
  const name = `${infoPrefix}${randomBytes(16).toString("hex")}`;
  const body = randomBytes(64);
  await cache.put(name, body, signal);
  const found = await cache.get(name, signal);
  if (found === undefined || !body.equals(found.body))
    fail("upstream", "An entry written to the cache could not be read back.");
  if ((await cache.remove(name, signal)) === 0)
    fail("upstream", "An entry written to the cache could not be removed.");
};

/**
 * Fetches a test file into the copies of source files, reads it and removes it; throws where any of
 * that fails.
 */
export const probeSourceFiles = async (files: SourceFiles, signal: AbortSignal): Promise<void> => {
  const identifier = `health check ${randomBytes(16).toString("hex")}`;
  const body = randomBytes(64);
  const download = async () => ({
    length: body.length,
    body: (async function* () {
      yield body;
    })(),
  });
  const path = await files.fetch({ identifier, version: "1", size: body.length, download }, signal);
  try {
    if (!body.equals(await readFile(path)))
      fail("upstream", "A copy of a source file could not be read back.");
  } finally {
    await files.remove(identifier, signal);
  }
};

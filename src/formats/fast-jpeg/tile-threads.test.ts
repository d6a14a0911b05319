import { afterAll, describe, expect, test } from "vitest";
import { random } from "../../../test/random.ts";
import { compressions } from "../tiff/structure/tags.ts";
import type { TileJob } from "./tile-job.ts";
import { createTileThreads } from "./tile-threads.ts";

const threads = createTileThreads(() => ({ threads: 1, ms: 20_000 }));
afterAll(() => threads.close());

const { signal } = new AbortController();

/** The image of a single tile, whose bytes may be shared. */
const jobOf = (side: number, isShared: boolean): TileJob & { readonly bytes: Uint8Array } => {
  const dice = random(side);
  const bytes = Uint8Array.from({ length: side * side * 3 }, () => dice.whole(0, 255));
  return {
    bytes,
    tiles: [{ bytes, x: 0, y: 0 }],
    isShared,
    tile: { width: side, height: side },
    size: { width: side, height: side },
    compression: compressions.none,
    predictor: 1,
    samples: 3,
    quality: 80,
    subsampling: "4:2:0",
  };
};

const encodes = await threads.available();
const skipped = encodes
  ? ""
  : " (skipped: the optional package @julusian/jpeg-turbo cannot be loaded)";

describe.skipIf(!encodes)(`Tiles in shared memory${skipped}`, () => {
  test.each([
    ["on the calling thread", 64],
    ["in a thread", 300],
  ])("are drawn %s and left unchanged", async (_, side) => {
    const { bytes, ...job } = jobOf(side, true);
    const before = bytes.slice();
    const jpeg = await threads.draw(job, signal);
    expect(bytes).toEqual(before);
    expect(await threads.draw(job, signal)).toEqual(jpeg);
    expect(threads.drawSync(job)).toEqual(jpeg);
    expect(bytes).toEqual(before);
  });

  test("while the memory of all others is transferred to a thread", async () => {
    const { bytes, ...job } = jobOf(300, false);
    await threads.draw(job, signal);
    expect(bytes.byteLength).toBe(0);
  });
});

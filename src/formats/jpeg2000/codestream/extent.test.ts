import { describe, expect, it } from "vitest";
import {
  codestreamBytes,
  codestreamNames,
  opened,
  testDecoder,
} from "../../../../test/codestreams.ts";
import {
  type CodestreamForm,
  codestream,
  emptyPackets,
  tilePart,
} from "../../../../test/malformed/bombs/codestream.ts";
import { WorkBudget } from "./work-budget.ts";

const tilesOf = (side: number, across: number, packets = 1, form: Partial<CodestreamForm> = {}) => {
  const tile = { width: side, height: side };
  const parts = Array.from({ length: across ** 2 }, (_, number) =>
    tilePart({ tile: number, packets: emptyPackets(packets) }),
  );
  const picture = { width: side * across, height: side * across };
  return new Uint8Array(codestream({ ...picture, tile, ...form }, parts));
};

const oneTile = (form: CodestreamForm, packets: number): Uint8Array =>
  new Uint8Array(
    codestream(form, [tilePart({ tile: 0, parts: 0, packets: emptyPackets(packets) })]),
  );

describe("a codestream split into too many parts", () => {
  it("is refused by its header where the tiles are tiny", async () => {
    await expect(opened(tilesOf(1, 255))).rejects.toMatchObject({
      failure: "unreadable",
      message: "Expected at most 4096 tiles of 1 x 1 pixels and not 65025 in the JPEG 2000.",
    });
    await expect(opened(tilesOf(16, 255))).rejects.toThrow("at most 4096 tiles");
    for (const [side, across] of [
      [1, 64],
      [32, 64],
      [64, 128],
      [256, 200],
    ] as const)
      expect((await opened(tilesOf(side, across))).codestream.header.columns).toBe(across);
  });

  it("is refused by its header where most packets must be empty", async () => {
    const layered = { width: 512, height: 512, layers: 65_535, levels: 5 };
    await expect(opened(oneTile(layered, 65_535 * 6))).rejects.toThrow("packets");
    const claimed = { width: 32_000, height: 32_000, precincts: [4], layers: 60_000 };
    await expect(opened(oneTile(claimed, 70_000))).rejects.toThrow("packets");
    // As many, of an image that is as large as that.
    const large = {
      width: 8_192,
      height: 8_192,
      levels: 5,
      layers: 12,
      precincts: [8, 8, 8, 8, 8, 8],
    };
    await opened(oneTile(large, 16_400));
  });

  it("is opened where it is a valid image", async () => {
    for (const name of codestreamNames) await opened(codestreamBytes(name));
  });

  it("is refused where decoding would take too long, though its tiles are large", async () => {
    const decoder = await testDecoder();
    const open = await opened(tilesOf(128, 150, 18, { levels: 5, components: 3 }));
    const { width, height } = open.codestream.header.image;
    const all = { ...open, region: { x: 0, y: 0, width, height }, reduce: 5 };
    await expect(
      decoder.decodeRegion({ ...all, signal: new AbortController().signal }),
    ).rejects.toMatchObject({ failure: "unreadable" });
    const part = { ...open, region: { x: 0, y: 0, width: 512, height: 512 }, reduce: 0 };
    const { planes } = await decoder.decodeRegion({
      ...part,
      signal: new AbortController().signal,
    });
    expect(planes.map((plane) => plane.width)).toEqual([512, 512, 512]);
  }, 120_000);
});

describe("long work", () => {
  it("ends where it is out of proportion", () => {
    const workBudget = new WorkBudget(new AbortController().signal, 1_000);
    expect(workBudget.isDue(500)).toBe(false);
    expect(workBudget.isDue(500)).toBe(true);
    expect(() => workBudget.isDue(1)).toThrow("fewer tiles, packets and code-blocks");
  });
});

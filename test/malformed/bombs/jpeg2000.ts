import { box, jp2Of, namedColour, numbers, sizeBox } from "../../jp2.ts";
import { random } from "../../random.ts";
import type { Bomb } from "./bomb.ts";
import {
  type CodestreamForm,
  codestream,
  emptyPackets,
  packetOf,
  segment,
  tilePart,
} from "./codestream.ts";

/** Bytes that look like coded data, and contain no marker. */
const noise = (length: number, seed: number): Buffer => {
  const { whole } = random(seed);
  return Buffer.from(Array.from({ length }, () => whole(0, 254)));
};

/** Tiles of one pixel, each with as many empty packets as it has. */
const tinyTiles = (across: number, packets: number, form: Partial<CodestreamForm> = {}): Buffer => {
  const tile = { width: 1, height: 1 };
  const parts = Array.from({ length: across ** 2 }, (_, number) =>
    tilePart({ tile: number, packets: emptyPackets(packets) }),
  );
  return codestream({ width: across, height: across, tile, ...form }, parts);
};

/** One tile with nothing but empty packets. */
const oneTile = (form: CodestreamForm, packets: number): Buffer =>
  codestream(form, [tilePart({ tile: 0, parts: 0, packets: emptyPackets(packets) })]);

/** Code-blocks with the maximum number of passes, of a few bytes each. */
const manyPasses = (side: number, bytes: number, levels = 0): Buffer => {
  const across = Math.ceil(side / 64);
  const precincts = [6, ...Array<number>(levels).fill(7)];
  const packets: Buffer[] = [];
  for (let level = 0; level <= levels; level++) {
    const bands = level === 0 ? 1 : 3;
    const columns = Math.ceil(across / 2 ** (levels - level) / (level === 0 ? 1 : 2));
    for (let precinct = 0; precinct < columns ** 2; precinct++)
      packets.push(
        packetOf(
          Array.from({ length: bands }, (_, band) => ({
            passes: 109,
            data: noise(bytes, precinct * 3 + band),
          })),
        ),
      );
  }
  const form = {
    width: side,
    height: side,
    levels,
    precincts,
    exponent: 31,
    bits: 16,
    progression: 1,
  };
  return codestream(form, [tilePart({ tile: 0, parts: 0, packets: Buffer.concat(packets) })]);
};

const partsOfOneTile = (count: number): Buffer =>
  codestream(
    { width: 256, height: 256 },
    Array.from({ length: count }, (_, part) =>
      tilePart({ tile: 0, part: part % 255, parts: 0, packets: emptyPackets(0) }),
    ),
  );

/** A segment of the main header of maximum size, as often as its index allows. */
const filled = (marker: number, content: Uint8Array): Buffer[] =>
  Array.from({ length: 256 }, (_, index) => segment(marker, numbers(1, index), content));

const full = 65_532;

/** Precincts of two samples at every resolution. */
const tinyPrecincts = (levels: number): number[] => [0, ...Array<number>(levels).fill(1)];

export const jpeg2000Bombs: readonly Bomb[] = [
  { name: "j2k-tiles-of-1.j2k", make: () => tinyTiles(255, 1) },
  {
    name: "j2k-tiles-of-1-colours-levels.j2k",
    make: () => tinyTiles(255, 18, { components: 3, levels: 5 }),
  },
  {
    name: "j2k-tiles-of-1-in-boxes.jp2",
    make: () =>
      jp2Of(
        box("jp2h", sizeBox(255, 255), namedColour(16)),
        box("jp2c", tinyTiles(255, 3, { components: 3 })),
      ),
  },
  {
    name: "j2k-tiles-of-16.j2k",
    make: () => {
      const tile = { width: 16, height: 16 };
      const parts = Array.from({ length: 65_025 }, (_, number) =>
        tilePart({ tile: number, packets: emptyPackets(6) }),
      );
      return codestream({ width: 4_080, height: 4_080, tile, levels: 5 }, parts);
    },
  },
  {
    name: "j2k-tiles-of-128.j2k",
    make: () => {
      const tile = { width: 128, height: 128 };
      const parts = Array.from({ length: 65_025 }, (_, number) =>
        tilePart({ tile: number, packets: emptyPackets(18) }),
      );
      return codestream({ width: 32_640, height: 32_640, tile, levels: 5, components: 3 }, parts);
    },
  },
  {
    name: "j2k-precincts-of-8.j2k",
    make: () => oneTile({ width: 16_384, height: 16_384, precincts: [3] }, 4_194_304),
  },
  {
    name: "j2k-layers-large.j2k",
    make: () =>
      oneTile(
        { width: 16_384, height: 16_384, levels: 5, layers: 2_000, precincts: [9, 9, 9, 9, 9, 9] },
        2_800_000,
      ),
  },
  {
    name: "j2k-precincts-and-layers-claimed.j2k",
    make: () => oneTile({ width: 32_000, height: 32_000, precincts: [4], layers: 60_000 }, 70_000),
  },
  {
    name: "j2k-components.j2k",
    make: () => oneTile({ width: 256, height: 256, components: 16_384 }, 16_384),
  },
  {
    name: "j2k-components-levels.j2k",
    make: () => oneTile({ width: 64, height: 64, components: 993, levels: 32 }, 33 * 993),
  },
  {
    name: "j2k-layers.j2k",
    make: () => oneTile({ width: 512, height: 512, layers: 65_535, levels: 32 }, 65_535 * 33),
  },
  {
    name: "j2k-layers-precincts.j2k",
    make: () =>
      oneTile(
        { width: 512, height: 512, layers: 65_535, precincts: [2], progression: 2, block: [2, 2] },
        8_000_000,
      ),
  },
  {
    name: "j2k-precincts-of-2.j2k",
    make: () =>
      oneTile(
        { width: 2_000, height: 2_000, levels: 5, precincts: tinyPrecincts(5), block: [2, 2] },
        4_200_000,
      ),
  },
  {
    name: "j2k-precincts-of-2-by-position.j2k",
    make: () =>
      oneTile(
        {
          width: 2_000,
          height: 2_000,
          levels: 5,
          precincts: tinyPrecincts(5),
          block: [2, 2],
          progression: 3,
        },
        4_200_000,
      ),
  },
  {
    name: "j2k-blocks-of-4.j2k",
    make: () =>
      codestream({ width: 8_000, height: 8_000, block: [2, 2], levels: 1 }, [
        tilePart({ tile: 0, parts: 0, packets: noise(3_000_000, 1) }),
      ]),
  },
  { name: "j2k-passes.j2k", make: () => manyPasses(4_096, 8) },
  { name: "j2k-passes-levels.j2k", make: () => manyPasses(8_192, 200, 2) },
  { name: "j2k-parts.j2k", make: () => partsOfOneTile(500_000) },
  {
    name: "j2k-packed-headers.j2k",
    make: () =>
      oneTile({ width: 256, height: 256, segments: filled(0xff60, Buffer.alloc(full)) }, 1),
  },
  {
    name: "j2k-packet-lengths.j2k",
    make: () => {
      const packets = emptyPackets(65_535 * 33);
      const segments = filled(0xff58, Buffer.alloc(full, 1));
      return codestream({ width: 512, height: 512, layers: 65_535, levels: 32 }, [
        tilePart({ tile: 0, segments, packets }),
      ]);
    },
  },
  {
    name: "j2k-part-lengths.j2k",
    make: () =>
      oneTile(
        { width: 256, height: 256, segments: filled(0xff55, Buffer.alloc(full, Buffer.of(0, 14))) },
        1,
      ),
  },
  {
    name: "j2k-progressions.j2k",
    make: () => {
      const change = Buffer.concat([numbers(1, 0, 0), numbers(2, 65_535), numbers(1, 33, 1, 0)]);
      const changes = segment(0xff5f, Buffer.alloc(change.length * 255, change));
      return oneTile(
        { width: 512, height: 512, layers: 65_535, levels: 32, segments: [changes] },
        65_535 * 33,
      );
    },
  },
  {
    name: "j2k-huge-tile.j2k",
    make: () => oneTile({ width: 2 ** 31, height: 2 ** 31, levels: 32 }, 33),
  },
  { name: "j2k-huge-tile-flat.j2k", make: () => oneTile({ width: 60_000, height: 60_000 }, 1) },
  {
    name: "j2k-steps.j2k",
    make: () => oneTile({ width: 60_000, height: 60_000, components: 3, step: 255, levels: 5 }, 18),
  },
];

import { type Random, random } from "../../test/random.ts";
import type { BenchImage } from "../image.ts";
import { lists } from "../lists.ts";
import { picture, tilePath, tilesOver } from "../tiles.ts";

/** A kind of load that all servers get alike. */
export interface Workload {
  /** One word, for `--only` and in results. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Selects its image, by the end of its file name. */
  readonly picture: string;
  /** In pixels; the image is stored in square tiles of this size. */
  readonly tile: number;
  readonly clients: number;
  /** Target speed as a multiple of a rival's, by the rival's name. */
  readonly targets: Readonly<Record<string, number>>;
  /** Target rate in responses per second, regardless of others. */
  readonly floor?: number;
  /** Whether all responses are whole stored JPEG tiles: the bare server has nothing else. */
  readonly isStored?: boolean;
  /** Whether the responses are images that can be compared. */
  readonly pictures: boolean;
  readonly paths: (images: Images) => readonly string[];
}

/** The same image under several names, so that no cache gets the same request again soon. */
export type Images = readonly [BenchImage, ...BenchImage[]];

const everyTile = (images: Images): readonly string[] =>
  images.flatMap((image) =>
    shuffled(tilesOver(image, 1, whole(image))).map((tile) => tilePath(image, tile)),
  );

/** Without those at the right and lower edges, which have to be cut. */
const everyWholeTile = (images: Images): readonly string[] =>
  images.flatMap((image) => {
    const { width, height, tileWidth, tileHeight } = image;
    const inner = {
      ...{ x: 0, y: 0 },
      width: Math.floor(width / tileWidth) * tileWidth,
      height: Math.floor(height / tileHeight) * tileHeight,
    };
    return shuffled(tilesOver(image, 1, inner)).map((tile) => tilePath(image, tile));
  });

const whole = ({ width, height }: BenchImage) => ({ x: 0, y: 0, width, height });

/** In an order that no disk or cache could predict, and the same on every machine. */
const shuffled = <T>(things: readonly T[]): readonly T[] => {
  const dice = random(1);
  const mixed = [...things];
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = dice.whole(0, last);
    const [one, two] = [mixed[last], mixed[other]];
    if (one !== undefined && two !== undefined) [mixed[last], mixed[other]] = [two, one];
  }
  return mixed;
};

const oddRegions = (images: Images): readonly string[] => {
  const dice: Random = random(2);
  return Array.from({ length: 2_000 }, () => {
    const image = dice.one(images);
    const x = dice.whole(0, image.width - odd.width);
    const y = dice.whole(0, image.height - odd.height);
    return picture(image, { region: `${x},${y},${odd.width},${odd.height}`, size: "640," });
  });
};

const odd = { width: 1700, height: 1300 };

const wholePictures =
  (size: string) =>
  (images: Images): readonly string[] =>
    images.map((image) => picture(image, { region: "full", size }));

const targets = (iipsrv: number) => ({ iipsrv, "iiif-processor": 50 });

const tiles = (
  name: string,
  title: string,
  end: string,
  tile: number,
  target: number,
): Workload => ({
  name,
  title,
  picture: `12000x9000-ptif-${end}-page.tif`,
  tile,
  clients: 8,
  targets: targets(target),
  pictures: true,
  paths: everyTile,
});

const stored = (workload: Workload): Workload => ({
  ...workload,
  isStored: true,
  paths: everyWholeTile,
});

const jpegPyramid = {
  picture: "12000x9000-ptif-jpeg-t256-page.tif",
  tile: 256,
  clients: 8,
  pictures: true,
} as const;

/** What is measured, in this order. */
export const workloads: readonly Workload[] = [
  stored(tiles("jpeg-256", "JPEG tiles 256, stored", "jpeg-t256", 256, 1.2)),
  stored(tiles("jpeg-512", "JPEG tiles 512, stored", "jpeg-t512", 512, 1.2)),
  tiles("deflate-256", "deflate tiles 256 to JPEG", "deflate-t256", 256, 1),
  tiles("lzw-256", "LZW tiles 256 to JPEG", "lzw-t256", 256, 1),
  tiles("webp-256", "WebP tiles 256 to JPEG", "webp-t256", 256, 1),
  tiles("zstd-512", "zstd tiles 512 to JPEG", "zstd-t512", 512, 1),
  {
    ...jpegPyramid,
    name: "viewer",
    title: "viewer sessions, JPEG 256 pyramid",
    targets: targets(1.2),
    paths: (images) => lists.viewer(images, { count: 20_000, seed: 1 }),
  },
  {
    ...jpegPyramid,
    name: "viewer-deflate",
    title: "viewer sessions, deflate 256 pyramid",
    picture: "12000x9000-ptif-deflate-t256-page.tif",
    targets: targets(1.2),
    paths: (images) => lists.viewer(images, { count: 20_000, seed: 1 }),
  },
  {
    ...jpegPyramid,
    name: "viewer-jp2",
    title: "viewer sessions, JPEG 2000",
    picture: "12000x9000-jp2-lossy-untiled.jp2",
    targets: { iipsrv: 2 },
    paths: (images) => lists.viewer(images, { count: 20_000, seed: 1 }),
  },
  {
    ...jpegPyramid,
    name: "viewer-htj2k",
    title: "viewer sessions, High-Throughput JPEG 2000",
    picture: "12000x9000-htj2k-lossy-untiled.jph",
    targets: {},
    paths: (images) => lists.viewer(images, { count: 20_000, seed: 1 }),
  },
  {
    ...jpegPyramid,
    name: "full-1000",
    title: "`full/1000,` of a pyramid, one at a time",
    clients: 1,
    targets: targets(1),
    paths: wholePictures("1000,"),
  },
  {
    ...jpegPyramid,
    name: "full-500",
    title: "`full/!500,500` of a pyramid, one at a time",
    clients: 1,
    targets: targets(1),
    paths: wholePictures("!500,500"),
  },
  {
    ...jpegPyramid,
    name: "odd",
    title: "odd region 1700 × 1300 to `640,`",
    targets: targets(1),
    paths: oddRegions,
  },
  {
    ...jpegPyramid,
    name: "info",
    title: "`info.json` of known images",
    targets: {},
    floor: 8_000,
    pictures: false,
    paths: (images) => images.map(({ path }) => `${path}/info.json`),
  },
];

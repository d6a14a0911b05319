import type { Rect } from "../src/core/geometry.ts";
import { type Random, random } from "../test/random.ts";
import type { BenchImage } from "./image.ts";
import { largest, picture, tilePath, tilesOver } from "./tiles.ts";

/** The length of a list and its random seed. */
export interface ListOptions {
  /** How many URLs. */
  readonly count: number;
  readonly seed: number;
}

type ListMaker = (
  images: readonly [BenchImage, ...BenchImage[]],
  options: ListOptions,
) => readonly string[];

/** The kinds of lists: paths for a server, the same ones for the same seed. */
export const lists = {
  /** People who zoom and pan: info.json, then the tiles their viewers ask for, level by level. */
  viewer: (images, { count, seed }) => {
    const dice = random(seed);
    return take(count, () => session(dice.one(images), dice));
  },

  /** Pages of search results. */
  thumbnails: (images, { count, seed }) => {
    const dice = random(seed);
    return take(count, () => [picture(dice.one(images), { region: "full", size: "!200,200" })]);
  },

  /** Whole images, at maximum size or 1,000 pixels wide. */
  full: (images, { count, seed }) => {
    const dice = random(seed);
    return take(count, () => {
      const image = dice.one(images);
      const size = dice.one([largest(image), image.width < 1000 ? largest(image) : "1000,"]);
      return [picture(image, { region: "full", size })];
    });
  },

  /** Regions and sizes that were never requested before: no cache helps, no stored tile fits. */
  odd: (images, { count, seed }) => {
    const dice = random(seed);
    return take(count, () => [oddRegion(dice.one(images), dice)]);
  },

  /** Only info.json. */
  info: (images, { count, seed }) => {
    const dice = random(seed);
    return take(count, () => [`${dice.one(images).path}/info.json`]);
  },

  /** Every tile of every level once, finest level first: a crawler, or a cold cache. */
  tiles: (images, { count }) =>
    images
      .flatMap((image) =>
        image.scaleFactors.flatMap((factor) =>
          tilesOver(image, factor, { x: 0, y: 0, width: image.width, height: image.height }).map(
            (tile) => tilePath(image, tile),
          ),
        ),
      )
      .slice(0, count),
} as const satisfies Record<string, ListMaker>;

export type ListKind = keyof typeof lists;

/** Whether there is a list of that name. */
export const isListKind = (name: string): name is ListKind => Object.hasOwn(lists, name);

/** The window a viewer shows its image in, in pixels of the screen. */
const screen = { width: 1400, height: 900 };

/** How often a session zooms in, and how often it pans afterwards. */
const visits = 3;
const pans = 4;

/** A user viewing one image: home, then a few places up close. Nothing is fetched twice. */
const session = (image: BenchImage, dice: Random): string[] => {
  const urls = new Set([`${image.path}/info.json`]);
  const home = Math.max(image.width / screen.width, image.height / screen.height, 1);
  look(image, urls, { x: image.width / 2, y: image.height / 2, scale: home });
  for (let visit = 0; visit < visits; visit++) {
    const aim = { x: dice.whole(0, image.width - 1), y: dice.whole(0, image.height - 1) };
    let scale = home;
    for (const nearest = dice.one([1, 1, 2]); scale > nearest; ) {
      scale = Math.max(nearest, scale / 2);
      look(image, urls, { ...aim, scale });
    }
    for (let pan = 0; pan < pans; pan++) {
      aim.x += Math.floor(dice.one([-1, 0, 1]) * scale * (screen.width / 2));
      aim.y += Math.floor(dice.one([-1, 0, 1]) * scale * (screen.height / 2));
      look(image, urls, { ...aim, scale });
    }
  }
  return [...urls];
};

/**
 * Adds what a viewer requests to show a place: from the coarsest level that is still drawn to the
 * finest one needed.
 */
const look = (
  image: BenchImage,
  urls: Set<string>,
  { x, y, scale }: { readonly x: number; readonly y: number; readonly scale: number },
): void => {
  const width = screen.width * scale;
  const height = screen.height * scale;
  const view: Rect = { x: x - width / 2, y: y - height / 2, width, height };
  const wanted = image.scaleFactors.findLast((factor) => factor <= scale) ?? 1;
  for (const factor of image.scaleFactors.toReversed())
    if (factor >= wanted)
      for (const tile of tilesOver(image, factor, view)) urls.add(tilePath(image, tile));
};

const oddRegion = (image: BenchImage, dice: Random): string => {
  const w = dice.whole(Math.min(16, image.width), Math.min(3001, image.width));
  const h = dice.whole(Math.min(16, image.height), Math.min(3001, image.height));
  const x = dice.whole(0, image.width - w);
  const y = dice.whole(0, image.height - h);
  const width = dice.whole(Math.min(8, w), Math.min(w, 799));
  const height = Math.max(1, Math.floor((width * h) / w));
  return picture(image, { region: `${x},${y},${w},${h}`, size: `${width},${height}` });
};

/** Adds requests until there are `count`. */
const take = (count: number, more: () => readonly string[]): string[] => {
  const urls: string[] = [];
  while (urls.length < count) urls.push(...more());
  return urls.slice(0, count);
};

import { random } from "../random.ts";
import type { Shown } from "./grid.ts";
import type { ApiVersion, Parts } from "./requests.ts";

/**
 * A case of the official validator (iiif-validator 1.0.5) as data. Its image is 1000×1000, ten by
 * ten squares of 100 pixels. Where it uses random numbers, so do we, from a seed.
 */
export interface ValidatorCase {
  /** The validator's own name for it. */
  readonly name: string;
  /**
   * By version; cases without a version do not apply to it. Level 3 is beyond every compliance
   * level.
   */
  readonly level: Readonly<Partial<Record<ApiVersion, 0 | 1 | 2 | 3>>>;
  readonly asks: readonly Ask[];
}

/** One request, and the required response. */
export interface Ask extends Parts {
  /** Encoded; the test image where absent. */
  readonly identifier?: string;
  readonly accept?: string;
  /** One of these; 200 where absent. */
  readonly status?: readonly number[];
  /** Which part of the image comes back; implies its size. */
  readonly shown?: Shown;
  readonly mediaType?: string;
  /** `gray` and `bitonal`: more than 650,000 of the 1,000,000 pixels are. */
  readonly colours?: "colour" | "gray" | "bitonal";
}

/** The identifier that the validator requests, including dashes. */
export const testPicture = "67352ccc-d1b0-11e1-89ae-279075081939";

const dice = random(20_120_719);
const whole: Shown = { region: [0, 0, 1000, 1000], size: [1000, 1000] };
const times = <T>(count: number, make: () => T): readonly T[] =>
  Array.from({ length: count }, make);
const all = (level: 0 | 1 | 2 | 3) => ({ 1: level, 2: level, 3: level }) as const;

/**
 * As the validator makes them: characters 48 to 122, with those that would end a path segment
 * replaced.
 */
const nonsense = (length: number): string =>
  times(length, () => String.fromCharCode(dice.whole(48, 122)))
    .join("")
    .replace(/[?#/]/g, "$");

const scaled = (width: number, height: number): Shown => ({ ...whole, size: [width, height] });

const square = (column: number, row: number) =>
  [column * 100, row * 100, 100, 100] as const satisfies Shown["region"];

const anySquare = () => square(dice.whole(0, 9), dice.whole(0, 9));

const inner = (side: number): Shown["region"] => [
  dice.whole(0, 9) * 100 + 13,
  dice.whole(0, 9) * 100 + 13,
  side,
  side,
];

/** The cases, in the validator's categories. */
export const validatorCases: readonly ValidatorCase[] = [
  // Information and identifier
  { name: "id_basic", level: all(0), asks: [{ shown: whole }] },
  { name: "id_squares", level: all(0), asks: [{ format: "jpg", shown: whole }] },
  {
    name: "id_escaped",
    level: all(1),
    asks: [{ identifier: testPicture.replaceAll("-", "%2D"), shown: whole }],
  },
  {
    name: "id_error_random",
    level: all(1),
    asks: [{ identifier: "4f1c7d2a-7c1e", status: [404] }],
  },
  { name: "id_error_escapedslash", level: all(1), asks: [{ identifier: "a/b", status: [404] }] },
  {
    name: "id_error_unescaped",
    level: all(1),
    asks: [{ identifier: "[frob]", status: [400, 404] }],
  },
  // Region
  {
    name: "region_pixels",
    level: all(1),
    asks: times(5, () => {
      const region = inner(74);
      return { region: region.join(","), shown: { region, size: [74, 74] as const } };
    }),
  },
  {
    name: "region_percent",
    level: all(2),
    asks: times(5, () => {
      const [x, y] = [dice.whole(0, 9) * 10 + 1, dice.whole(0, 9) * 10 + 1];
      const region = [x * 10, y * 10, 90, 90] as const;
      return { region: `pct:${x},${y},9,9`, shown: { region, size: [90, 90] as const } };
    }),
  },
  {
    name: "region_square",
    level: { 2: 3, 3: 1 },
    asks: [{ region: "square", shown: whole }],
  },
  {
    name: "region_error_random",
    level: all(1),
    asks: times(40, () => ({ region: nonsense(6), status: [400] })),
  },
  // Size
  {
    name: "size_wc",
    level: all(1),
    asks: times(2, () => {
      const side = dice.whole(450, 750);
      return { size: `${side},`, shown: scaled(side, side) };
    }),
  },
  {
    name: "size_ch",
    level: all(1),
    asks: times(2, () => {
      const side = dice.whole(450, 750);
      return { size: `,${side}`, shown: scaled(side, side) };
    }),
  },
  {
    name: "size_percent",
    level: { 1: 1, 2: 1, 3: 2 },
    asks: times(2, () => {
      const percent = dice.whole(45, 75);
      return { size: `pct:${percent}`, shown: scaled(percent * 10, percent * 10) };
    }),
  },
  {
    name: "size_wh",
    level: { 1: 2, 2: 2, 3: 1 },
    asks: times(2, () => {
      const [width, height] = [dice.whole(350, 750), dice.whole(350, 750)];
      return { size: `${width},${height}`, shown: scaled(width, height) };
    }),
  },
  {
    name: "size_bwh",
    level: all(2),
    asks: times(2, () => {
      const [width, height] = [dice.whole(350, 750), dice.whole(350, 750)];
      const side = Math.min(width, height);
      return { size: `!${width},${height}`, shown: scaled(side, side) };
    }),
  },
  {
    name: "size_region",
    level: all(1),
    asks: times(5, () => {
      const side = dice.whole(35, 90);
      const region = anySquare();
      const shown = { region, size: [side, side] as const };
      return { region: region.join(","), size: `${side},${side}`, shown };
    }),
  },
  {
    name: "size_error_random",
    level: all(1),
    asks: times(40, () => ({ size: nonsense(6), status: [400] })),
  },
  { name: "size_nofull", level: { 3: 0 }, asks: [{ size: "full", status: [400] }] },
  {
    // For a server that answers larger boxes with 400 (`endpoint.iiif.3.confined_size`).
    name: "size_noup",
    level: { 3: 1 },
    asks: ["1500,1500", ",1500", "1500,", "pct:200", "!2000,3000"].map((size) => ({
      size,
      status: [400],
    })),
  },
  { name: "size_up", level: { 1: 3, 2: 3 }, asks: [{ size: ",1500", shown: scaled(1500, 1500) }] },
  {
    // The validator also expects `^max` to be 1000×1000, which only holds where nothing is
    // enlarged.
    name: "size_up",
    level: { 3: 3 },
    asks: [
      { size: ",1500", status: [400] },
      { size: "^1500,1500", shown: scaled(1500, 1500) },
      { size: "^,1300", shown: scaled(1300, 1300) },
      { size: "^1100,", shown: scaled(1100, 1100) },
      { size: "^pct:200", shown: scaled(2000, 2000) },
      { size: "^!2000,500", shown: scaled(500, 500) },
      { size: "^!2000,3000", shown: scaled(2000, 2000) },
    ],
  },
  // Rotation
  {
    name: "rot_full_basic",
    level: { 1: 1, 2: 2, 3: 2 },
    asks: ([1, 2, 3] as const).map((turns) => ({
      rotation: String(turns * 90),
      shown: { ...whole, turns },
    })),
  },
  {
    name: "rot_region_basic",
    level: { 1: 1, 2: 2, 3: 2 },
    asks: times(4, () => {
      const region = inner(76);
      const shown = { region, size: [76, 76], turns: 2 } as const;
      return { region: region.join(","), rotation: "180", shown };
    }),
  },
  {
    name: "rot_mirror",
    level: { 2: 3, 3: 3 },
    asks: [{ rotation: "!0", shown: { ...whole, mirror: true } }],
  },
  {
    name: "rot_mirror_180",
    level: { 2: 3, 3: 3 },
    asks: [{ rotation: "!180", shown: { ...whole, mirror: true, turns: 2 } }],
  },
  {
    name: "rot_full_non90",
    level: all(3),
    asks: [{ rotation: String(dice.whole(1, 89)), mediaType: "image/jpeg" }],
  },
  {
    name: "rot_region_non90",
    level: all(3),
    asks: times(4, () => ({
      region: anySquare().join(","),
      rotation: String(dice.whole(91, 179)),
      mediaType: "image/jpeg",
    })),
  },
  {
    name: "rot_error_random",
    level: all(1),
    asks: times(40, () => ({ rotation: nonsense(4), status: [400] })),
  },
  // Quality
  { name: "quality_color", level: all(2), asks: [{ quality: "color", colours: "colour" }] },
  { name: "quality_grey", level: all(2), asks: [{ quality: "gray", colours: "gray" }] },
  { name: "quality_bitonal", level: all(2), asks: [{ quality: "bitonal", colours: "bitonal" }] },
  {
    name: "quality_error_random",
    level: all(1),
    asks: times(40, () => ({ quality: nonsense(6), status: [400] })),
  },
  // Format
  {
    name: "format_jpg",
    level: { 1: 1, 2: 0, 3: 0 },
    asks: [{ format: "jpg", mediaType: "image/jpeg", shown: whole }],
  },
  {
    name: "format_png",
    level: all(2),
    asks: [{ format: "png", mediaType: "image/png", shown: whole }],
  },
  {
    name: "format_tif",
    level: all(3),
    asks: [{ format: "tif", mediaType: "image/tiff", shown: whole }],
  },
  {
    name: "format_gif",
    level: all(3),
    asks: [{ format: "gif", mediaType: "image/gif", shown: whole }],
  },
  {
    name: "format_webp",
    level: { 2: 3, 3: 3 },
    asks: [{ format: "webp", mediaType: "image/webp", shown: whole }],
  },
  {
    name: "format_error_random",
    level: all(1),
    asks: times(40, () => ({ format: nonsense(3), status: [400, 415, 503] })),
  },
  {
    name: "format_conneg",
    level: { 1: 1 },
    asks: [{ format: "", accept: "image/png;q=1.0", mediaType: "image/png", shown: whole }],
  },
];

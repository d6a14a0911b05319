/** A benchmark's facts about an image: from its info.json of any version. */
export interface BenchImage {
  /** The path of the base URI, as in `/iiif/3/picture.tif`. */
  readonly path: string;
  readonly version: 1 | 2 | 3;
  readonly width: number;
  readonly height: number;
  readonly tileWidth: number;
  readonly tileHeight: number;
  /** Ascending, the first is 1. */
  readonly scaleFactors: readonly number[];
}

/** Parses an info.json of any version; an `Error` says what is missing. */
export const readInformation = (path: string, information: unknown): BenchImage => {
  const info = record(information, "info.json");
  const version = versionOf(info);
  const width = whole(info.width, "width");
  const height = whole(info.height, "height");
  const tiles = version === 1 ? flatTiles(info) : firstTiles(info);
  return {
    path,
    version,
    width,
    height,
    tileWidth: tiles.width ?? width,
    tileHeight: tiles.height ?? tiles.width ?? height,
    scaleFactors: tiles.factors.length === 0 ? [1] : tiles.factors.toSorted((a, b) => a - b),
  };
};

/** Asks a server of version 3 for the info.json of an image. */
export const imageOf = async (base: URL, name: string): Promise<BenchImage> => {
  const path = `/iiif/3/${name}`;
  const response = await fetch(`${base.origin}${path}/info.json`, {
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`Expected info.json of ${name}, got status ${response.status}`);
  return readInformation(path, await response.json());
};

/** What is read of an info.json, and of an entry of its `tiles`. */
type Fields = Partial<
  Record<
    | "@context"
    | "width"
    | "height"
    | "tiles"
    | "scaleFactors"
    | "tile_width"
    | "tile_height"
    | "scale_factors",
    unknown
  >
>;

interface Tiles {
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly factors: readonly number[];
}

const versionOf = (info: Fields): 1 | 2 | 3 => {
  const contexts = JSON.stringify(info["@context"] ?? "");
  if (contexts.includes("/image/3/")) return 3;
  if (contexts.includes("/image/2/")) return 2;
  if (contexts.includes("/1.1/") || contexts.includes("/image/1/")) return 1;
  throw new Error(`Expected the @context of an Image API in info.json, got ${contexts}`);
};

const firstTiles = (info: Fields): Tiles => {
  const [first] = Array.isArray(info.tiles) ? info.tiles : [];
  if (first === undefined) return { width: undefined, height: undefined, factors: [] };
  const tile = record(first, "tiles[0]");
  return {
    width: whole(tile.width, "tiles[0].width"),
    height: tile.height === undefined ? undefined : whole(tile.height, "tiles[0].height"),
    factors: wholes(tile.scaleFactors, "tiles[0].scaleFactors"),
  };
};

const flatTiles = (info: Fields): Tiles => ({
  width: info.tile_width === undefined ? undefined : whole(info.tile_width, "tile_width"),
  height: info.tile_height === undefined ? undefined : whole(info.tile_height, "tile_height"),
  factors: info.scale_factors === undefined ? [] : wholes(info.scale_factors, "scale_factors"),
});

const record = (value: unknown, name: string): Fields => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`Expected an object for ${name}, got ${JSON.stringify(value)}`);
  return Object.fromEntries(Object.entries(value));
};

const wholes = (value: unknown, name: string): number[] => {
  if (!Array.isArray(value)) throw new Error(`Expected a list for ${name}`);
  return value.map((item, index) => whole(item, `${name}[${index}]`));
};

const whole = (value: unknown, name: string): number => {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1)
    throw new Error(`Expected a positive whole number for ${name}, got ${JSON.stringify(value)}`);
  return value;
};

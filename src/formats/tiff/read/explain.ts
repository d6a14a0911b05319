import type { Rect } from "../../../core/geometry.ts";
import type { Plan } from "../../../core/plan.ts";
import type { Steps } from "../../../core/steps.ts";
import type { DecodingOptions } from "../../shared/index.ts";
import {
  compressionNames,
  compressions,
  type StoredLevel,
  type TiffFile,
} from "../structure/index.ts";
import { whyNotRecoded } from "./recode.ts";
import { whyNotStored } from "./stored.ts";
import { storedTiles, tilesAround } from "./tiles.ts";

/** What reading a region of a level involves, by the structure of the file alone. */
export function* explainReading(
  file: TiffFile,
  level: StoredLevel,
  { region, plan }: { readonly region: Rect; readonly plan: Plan },
): Steps<Omit<DecodingOptions, "level">> {
  const tiles = yield* storedTiles(file, level, tilesAround(level, region));
  const notStored = whyNotStored(level, { region, format: plan.format });
  const notRecoded = whyNotRecoded(level, plan);
  return {
    region,
    compression: resolveName(level.compression),
    tiles: tiles.length,
    bytes: tiles.reduce((sum, { length }) => sum + length, 0),
    ...(notStored === undefined ? {} : { notStored }),
    ...(notRecoded === undefined ? {} : { notRecoded }),
  };
}

const resolveName = (compression: number): string =>
  Object.entries(compressions).find(([, number]) => number === compression)?.[0] ??
  compressionNames[compression] ??
  `number ${compression}`;

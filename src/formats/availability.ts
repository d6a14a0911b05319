import type { Settings } from "../config/keys.ts";
import { fail } from "../core/errors.ts";
import { type FormatName, formats } from "../core/formats.ts";
import { readers } from "./readers.ts";
import type { readingKeys } from "./shared/decoding-keys.ts";
import { unwritten } from "./shared/demand-writer.ts";
import { type Lack, lackText, libvips, type Means } from "./shared/means.ts";
import { encoders } from "./write/encode.ts";

/** Whether a format is read, or written, here and now. */
export interface Ability {
  readonly available: boolean;
  /** What does it, or would; absent where nothing can. */
  readonly by?: string;
  readonly version?: string;
  /** What there would have to be. */
  readonly lacks?: Lack;
}

/** What can be done with a format. */
export interface Availability {
  readonly format: FormatName;
  /** For people. */
  readonly name: string;
  readonly read: Ability;
  readonly write: Ability;
}

type ReadingSettings = () => Settings<typeof readingKeys>;

/** What can be done with each format, with these settings, on this machine. Nothing is loaded for it. */
export const availability = (settings: ReadingSettings): Promise<readonly Availability[]> =>
  Promise.all(
    (Object.keys(formats) as FormatName[]).map(async (format) => {
      const encoder = encoders[format];
      return {
        format,
        name: formats[format].name,
        read: await abilityOf(readers[format], settings),
        write: await abilityOf(encoder && (encoder.by ?? libvips), settings),
      };
    }),
  );

/** Throws `unreadable`, and says what there would have to be, where a format is not read here and now. */
export const demandReader = async (
  format: FormatName,
  settings: ReadingSettings,
): Promise<void> => {
  const { lacks } = await abilityOf(readers[format], settings);
  if (lacks !== undefined)
    fail(
      "unreadable",
      `Expected a picture in a format that can be read here; for ${formats[format].name}, ${lackText(lacks)}.`,
    );
};

/** The formats that can be written, and why the others of which there is an encoder cannot. */
export interface Outputs {
  readonly formats: readonly FormatName[];
  readonly lacking: ReadonlyMap<FormatName, string>;
}

/** What can be written with what is installed on this machine; nothing is loaded for it. */
export const outputsHere = async (settings: ReadingSettings): Promise<Outputs> => {
  const known = (await availability(settings)).filter(({ format }) => encoders[format]);
  const written = known.filter(({ write }) => write.available);
  return {
    formats: written.map(({ format }) => format),
    lacking: new Map(
      known.flatMap(({ format, write: { lacks } }) =>
        lacks === undefined ? [] : [[format, unwritten(format, lacks)]],
      ),
    ),
  };
};

const abilityOf = async (means: Means | undefined, settings: ReadingSettings): Promise<Ability> => {
  if (means === undefined) return { available: false };
  const found = await means.find(settings);
  return { available: !("lacks" in found), by: means.name, ...found };
};

import type { Config } from "../config/store.ts";
import { fail } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import type { Format } from "./record/index.ts";
import { registry } from "./registry.ts";
import { type Lack, type Library, lackText, libvips, unwritten } from "./shared/index.ts";

/** Whether a format can be read, or written, on this installation. */
export interface Ability {
  readonly available: boolean;
  /** The codec that does it, or would; absent where there is none. */
  readonly by?: string;
  readonly version?: string;
  /** What is missing. */
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

/** What can be done with each format, with these settings, on this machine. Loads no codec. */
export const availability = (config: Config): Promise<readonly Availability[]> =>
  Promise.all(
    registry.map(async ({ name, facts, reader, encoder }) => ({
      format: name,
      name: facts.name,
      read: await abilityOf(reader, config),
      write: await abilityOf(encoder && (encoder.by ?? libvips), config),
    })),
  );

/**
 * Throws `unreadable`, with what to install or enable, where a format cannot be read on this
 * installation.
 */
export const demandReader = async (
  { reader, facts }: Pick<Format, "reader" | "facts">,
  config: Config,
): Promise<void> => {
  const { lacks } = await abilityOf(reader, config);
  if (lacks !== undefined)
    fail("unreadable", `Cannot read ${facts.name} here: ${lackText(lacks)}.`);
};

/** The formats that can be written, and why others with an encoder cannot. */
export interface Outputs {
  readonly formats: readonly FormatName[];
  readonly lacking: ReadonlyMap<FormatName, string>;
}

/** The formats that can be written with the software on this machine; loads nothing. */
export const outputsHere = async (config: Config): Promise<Outputs> => {
  const formats: FormatName[] = [];
  const lacking = new Map<FormatName, string>();
  for (const { name, facts, encoder } of registry) {
    if (encoder === undefined) continue;
    const { lacks } = await abilityOf(encoder.by ?? libvips, config);
    if (lacks === undefined) formats.push(name);
    else lacking.set(name, unwritten(facts.name, lacks));
  }
  return { formats, lacking };
};

const abilityOf = async (means: Library | undefined, config: Config): Promise<Ability> => {
  if (means === undefined) return { available: false };
  const found = await means.find(config);
  return { available: !("lacks" in found), by: means.name, ...found };
};

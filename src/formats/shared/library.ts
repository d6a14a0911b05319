import { readFile } from "node:fs/promises";
import type { Keys, Settings } from "../../config/keys.ts";
import type { Config } from "../../config/store.ts";
import { productVersion } from "../../core/product.ts";

/** What there has to be before a format is read or written here. */
export interface Lack {
  readonly kind: "package" | "program" | "key";
  /** Of a package, a program, or a key of the configuration. */
  readonly name: string;
  /** What to do about it, as in `set it to true`. */
  readonly remedy: string;
}

/**
 * What is lacking, for clients, as the end of a sentence: of packages with what installs them,
 * nothing of this machine.
 */
export const lackText = (lack: Lack): string =>
  lack.kind === "package" ? lackAdvice(lack) : lackName(lack);

/** What is lacking and what to do about it, for whoever looks after the server. */
export const lackAdvice = (lack: Lack): string => `${lackName(lack)} (${lack.remedy})`;

const lackName = ({ kind, name }: Lack): string =>
  kind === "key" ? `${name} is not switched on` : `the ${kind} ${name} is missing`;

/** Whether a means is in memory, and in which version. */
export type LibraryLookup = { readonly version?: string } | { readonly lacks: Lack };

/** What formats are read or written by. */
export interface Library {
  /** For people, as in `libvips`. */
  readonly name: string;
  /** Looks for it, without loading it; never throws. */
  find(config: Config): LibraryLookup | Promise<LibraryLookup>;
}

/** Code of this server. */
export const ours: Library = { name: "Vitrine", find: () => ({ version: productVersion }) };

/** The image library that sharp brings along. */
export const libvips: Library = {
  name: "libvips",
  find: async () => ({ version: (await import("sharp")).default.versions.vips ?? "" }),
};

/** A means that is off until a key switches it on. */
export const switched = <K extends Keys>(
  means: Library,
  keys: K,
  key: keyof K & keyof Settings<K> & string,
): Library => ({
  name: means.name,
  find: (config) =>
    config.view(keys)()[key] === true
      ? means.find(config)
      : { lacks: { kind: "key", name: key, remedy: "set it to true" } },
});

/**
 * A package of npm; what is said of it where it is missing names it, so that it can be installed.
 */
export const npmPackage = (
  name: string,
  title = name,
): Library & { find(): Promise<LibraryLookup> } => {
  let known: string | undefined;
  return {
    name: title,
    find: async () => {
      known ??= await versionOf(name);
      return known === undefined
        ? { lacks: { kind: "package", name, remedy: `npm install ${name}` } }
        : { version: known };
    },
  };
};

/** libjxl, by the package that has it. */
export const libjxl = npmPackage("wasm-vips", "libjxl");

/** OpenJPEG's encoder. */
export const openjpeg = npmPackage("@cornerstonejs/codec-openjpeg", "OpenJPEG");

/** The version of a package that is installed; undefined where it is not. */
const versionOf = async (name: string): Promise<string | undefined> => {
  const entry = entryOf(name);
  for (let folder = entry && new URL(".", entry); folder; folder = above(folder)) {
    const found = await packageAt(folder);
    if (found?.name === name) return found.version;
  }
  return undefined;
};

/**
 * The module that importing a package would load: what a package exports need not be its
 * package.json.
 */
const entryOf = (name: string): string | undefined => {
  try {
    return import.meta.resolve(name);
  } catch {
    // It is not installed, which is what was to be known.
    return undefined;
  }
};

const above = (folder: URL): URL | undefined => {
  const next = new URL("..", folder);
  return next.href === folder.href ? undefined : next;
};

const packageAt = async (
  folder: URL,
): Promise<{ readonly name?: string; readonly version?: string } | undefined> => {
  try {
    return JSON.parse(await readFile(new URL("package.json", folder), "utf8"));
  } catch {
    // There is none in this folder, or none for people: the one looked for is further up.
    return undefined;
  }
};

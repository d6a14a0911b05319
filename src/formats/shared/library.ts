import { readFile } from "node:fs/promises";
import type { Keys, Settings } from "../../config/keys.ts";
import type { Config } from "../../config/store.ts";
import { productVersion } from "../../core/product.ts";

/** What is required for a format to be read or written. */
export interface Lack {
  readonly kind: "package" | "program" | "key";
  /** Name of a package, a program, or a configuration key. */
  readonly name: string;
  /** What to do about it, as in `set it to true`. */
  readonly remedy: string;
}

/**
 * What is missing, for clients, as the end of a sentence: packages with what installs them, nothing
 * about this machine.
 */
export const lackText = (lack: Lack): string =>
  lack.kind === "package" ? lackAdvice(lack) : lackName(lack);

/** What is missing and what to do about it, for operators. */
export const lackAdvice = (lack: Lack): string => `${lackName(lack)} (${lack.remedy})`;

const lackName = ({ kind, name }: Lack): string =>
  kind === "key" ? `${name} is not switched on` : `the ${kind} ${name} is missing`;

/** Whether a library is loaded, and its version. */
export type LibraryLookup = { readonly version?: string } | { readonly lacks: Lack };

/** The software that formats are read or written by. */
export interface Library {
  /** For people, as in `libvips`. */
  readonly name: string;
  /** Looks for it without loading it; never throws. */
  find(config: Config): LibraryLookup | Promise<LibraryLookup>;
}

/** Code of this server. */
export const ours: Library = { name: "Vitrine", find: () => ({ version: productVersion }) };

/** The image library that sharp brings along. */
export const libvips: Library = {
  name: "libvips",
  find: async () => ({ version: (await import("sharp")).default.versions.vips ?? "" }),
};

/** A library that is off until a key enables it. */
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

/** An npm package; the message about a missing one names it, so that it can be installed. */
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

/** libjxl, by its package. */
export const libjxl = npmPackage("wasm-vips", "libjxl");

/** OpenJPEG's encoder. */
export const openjpeg = npmPackage("@cornerstonejs/codec-openjpeg", "OpenJPEG");

/** The installed version of a package; undefined where it is not installed. */
const versionOf = async (name: string): Promise<string | undefined> => {
  const entry = entryOf(name);
  for (let folder = entry && new URL(".", entry); folder; folder = above(folder)) {
    const found = await packageAt(folder);
    if (found?.name === name) return found.version;
  }
  return undefined;
};

/** The module that importing a package would load: a package need not export its package.json. */
const entryOf = (name: string): string | undefined => {
  try {
    return import.meta.resolve(name);
  } catch {
    // It is not installed, which is the answer.
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
    // There is none in this folder, or an unrelated one: the right one is further up.
    return undefined;
  }
};

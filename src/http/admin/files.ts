import { readdir, readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fail } from "../../core/errors.ts";

/** The content coding of a stored file; `identity` is none. */
export const codings = ["br", "gzip", "identity"] as const;
export type Coding = (typeof codings)[number];

/** A file of the control panel. */
export interface PanelFile {
  readonly type: string;
  /** Its bytes as they are, and in the codings that make it smaller. */
  readonly bodies: { readonly identity: Buffer } & Partial<Readonly<Record<Coding, Buffer>>>;
}

/** The files of the control panel. */
export interface PanelFiles {
  /** The HTML of the page; its links are relative to the given base. */
  readonly page: (base: string) => string;
  /** By name; names contain a hash of the content. */
  readonly assets: ReadonlyMap<string, PanelFile>;
}

/** Where the built panel is: the same distance from src/http/admin and from dist/http/admin. */
export const builtPanel = (): URL => new URL("../../../dist/web/panel/", import.meta.url);

/**
 * Returns a function that reads the panel on first use and caches it. It throws `unimplemented`
 * where the panel was not built, and tries again on the next call.
 */
export const panelFiles = (folder: URL): (() => Promise<PanelFiles>) => {
  let reading: Promise<PanelFiles> | undefined;
  return () => {
    reading ??= readPanel(folder).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
};

const readPanel = async (folder: URL): Promise<PanelFiles> => {
  try {
    const html = await readFile(new URL("index.html", folder), "utf8");
    const [before, after, ...further] = html.split(baseElement);
    if (before === undefined || after === undefined || further.length > 0)
      return fail("internal", `Expected exactly one ${baseElement} in the panel's page.`);
    return {
      page: (base) => `${before}<base href="${base}">${after}`,
      assets: await readAssets(new URL("assets/", folder)),
    };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    return fail(
      "unimplemented",
      "The control panel has not been built here; `npm run build` does that.",
      cause,
    );
  }
};

/** The same text as in web/panel/index.html. */
const baseElement = '<base href="/admin/">';

/** File names are read from the folder, never from a URL. */
const readAssets = async (folder: URL): Promise<ReadonlyMap<string, PanelFile>> => {
  const names = new Set(await readdir(folder));
  const read = (name: string): Promise<Buffer> =>
    readFile(new URL(encodeURIComponent(name), folder));
  const assets = new Map<string, PanelFile>();
  for (const name of names) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const bodies = {
      identity: await read(name),
      ...(names.has(`${name}.br`) ? { br: await read(`${name}.br`) } : {}),
      ...(names.has(`${name}.gz`) ? { gzip: await read(`${name}.gz`) } : {}),
    };
    assets.set(name, { type, bodies });
  }
  return assets;
};

/** Media types of everything the build produces; other files are not served. */
const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

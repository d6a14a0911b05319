import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

/** A file of the landing page. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

/**
 * A file of the landing page by its name in `/static/`; read once and cached, undefined for any
 * other name.
 */
export const readAsset = async (name: string): Promise<Asset | undefined> => {
  const place = places.get(name);
  if (place === undefined) return undefined;
  const known = read.get(name);
  if (known) return known;
  const asset = { type: place.type, bytes: await readFile(place.file()) };
  read.set(name, asset);
  return asset;
};

const read = new Map<string, Asset>();

/**
 * A folder name that changes with the files: modules import each other by relative paths, so that
 * browsers, which cache them for long, never combine files of two releases.
 */
export const assetsVersion = async (): Promise<string> => {
  if (version === undefined) {
    const hash = createHash("sha256");
    for (const name of places.keys()) hash.update((await readAsset(name))?.bytes ?? "");
    version = hash.digest("hex").slice(0, 12);
  }
  return version;
};

let version: string | undefined;

// The same distance from src/http/landing and from dist/http/landing.
const at = (path: string) => (): URL => new URL(`../../../${path}`, import.meta.url);

const script = "text/javascript;charset=UTF-8";
const style = "text/css;charset=UTF-8";

/** The modules of the page, by the names of their files in `web/landing/`. */
export const modules = [
  "landing.js",
  "cards.js",
  "copying.js",
  "crumbs.js",
  "dom.js",
  "gallery.js",
  "image.js",
  "lazy.js",
  "links.js",
  "pages.js",
  "places.js",
  "server.js",
  "thumbnails.js",
  "viewer.js",
] as const;

/** The style sheets of the page. */
export const styles = ["landing.css", "gallery.css", "image.css"] as const;

/** File names come from this table, never from a URL. scripts/viewer.mjs copies the viewer. */
const places: ReadonlyMap<string, { readonly type: string; readonly file: () => URL }> = new Map([
  ...styles.map((name) => [name, { type: style, file: at(`web/landing/${name}`) }] as const),
  ...modules.map((name) => [name, { type: script, file: at(`web/landing/${name}`) }] as const),
  ["icon.svg", { type: "image/svg+xml", file: at("web/landing/icon.svg") }],
  ["openseadragon.min.js", { type: script, file: at("dist/web/viewer/openseadragon.min.js") }],
]);

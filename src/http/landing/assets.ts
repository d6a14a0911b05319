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

// The same distance from src/http/landing and from dist/http/landing.
const at = (path: string) => (): URL => new URL(`../../../${path}`, import.meta.url);

const script = "text/javascript;charset=UTF-8";

/** File names come from this table, never from a URL. scripts/viewer.mjs copies the viewer. */
const places: ReadonlyMap<string, { readonly type: string; readonly file: () => URL }> = new Map([
  ["landing.css", { type: "text/css;charset=UTF-8", file: at("web/landing/landing.css") }],
  ["landing.js", { type: script, file: at("web/landing/landing.js") }],
  ["icon.svg", { type: "image/svg+xml", file: at("web/landing/icon.svg") }],
  ["openseadragon.min.js", { type: script, file: at("dist/web/viewer/openseadragon.min.js") }],
]);

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { compileFunction } from "node:vm";
import type { Size } from "../src/core/geometry.ts";

/** What OpenSeadragon reads of version 3's info.json. */
export interface ViewedInfo extends Size {
  readonly id: string;
  readonly sizes?: readonly Size[];
  readonly tiles?: readonly (Size & { readonly scaleFactors: readonly number[] })[];
}

/**
 * The URLs of all tiles that OpenSeadragon requests, from the smallest level to the largest, row by
 * row, as its own code makes them; `info` is an info.json of any version.
 */
export const openSeadragonTiles = (info: object): readonly string[] => {
  const { IIIFTileSource } = loaded();
  // It changes what it is given.
  const own: object = structuredClone(info);
  const source = new IIIFTileSource(
    IIIFTileSource.prototype.configure(own, "https://example.org/info.json"),
  );
  return Array.from({ length: source.maxLevel + 1 }, (_, level) => {
    const { x: columns, y: rows } = source.getNumTiles(level);
    return Array.from({ length: columns * rows }, (_none, index) =>
      source.getTileUrl(level, index % columns, Math.floor(index / columns)),
    );
  }).flat();
};

interface TileSource {
  readonly maxLevel: number;
  getNumTiles(level: number): { readonly x: number; readonly y: number };
  getTileUrl(level: number, x: number, y: number): string;
}

interface OpenSeadragon {
  readonly IIIFTileSource: {
    new (options: object): TileSource;
    readonly prototype: { configure(info: object, url: string): object };
  };
}

let once: OpenSeadragon | undefined;

/** The package, which expects a browser's objects while it is loaded. */
const loaded = (): OpenSeadragon => {
  if (once !== undefined) return once;
  const file = createRequire(import.meta.url).resolve(
    "openseadragon/build/openseadragon/openseadragon.js",
  );
  const listening = { addEventListener() {}, removeEventListener() {} };
  const createElement = () => ({ ...listening, style: {} });
  const window = { ...listening, location: { search: "" } };
  const document = {
    ...listening,
    createElement,
    documentElement: createElement(),
    body: createElement(),
    implementation: {},
  };
  const module: { exports: object } = { exports: {} };
  const names = ["module", "exports", "window", "self", "document", "navigator"];
  const run: (...values: readonly object[]) => void = compileFunction(
    readFileSync(file, "utf8"),
    names,
  ) as () => void;
  const navigator = { userAgent: "", appVersion: "", vendor: "" };
  run(module, module.exports, window, window, document, navigator);
  once = module.exports as OpenSeadragon;
  return once;
};

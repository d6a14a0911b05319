import { readFile } from "node:fs/promises";
import { versionFolder } from "./files.ts";
import { thumbnailOf } from "./layout.ts";
import { exportName, viewerFolder, viewerPage } from "./names.ts";
import { type ExportState, layoutOf } from "./state.ts";
import type { ExportTarget } from "./target.ts";

// Relative to both src/export and dist/export.
const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);

/** The files of the page. scripts/viewer.mjs copies OpenSeadragon. */
const files: readonly (readonly [name: string, mediaType: string, file: URL])[] = [
  [`${viewerFolder}/viewer.js`, "text/javascript", at("web/export/viewer.js")],
  [`${viewerFolder}/viewer.css`, "text/css", at("web/export/viewer.css")],
  [`${viewerFolder}/icon.svg`, "image/svg+xml", at("web/landing/icon.svg")],
  [
    `${viewerFolder}/openseadragon.min.js`,
    "text/javascript",
    at("dist/web/viewer/openseadragon.min.js"),
  ],
  [`${viewerFolder}/LICENSE.txt`, "text/plain", at("dist/web/viewer/LICENSE.txt")],
  [viewerPage, "text/html", at("web/export/index.html")],
];

/** Writes the viewer page of an export and its files. */
export const writeViewer = async (
  target: ExportTarget,
  state: ExportState,
  signal: AbortSignal,
): Promise<void> => {
  const list = Buffer.from(JSON.stringify(listed(state)));
  const document = { bytes: list, mediaType: "application/json", isRevised: true };
  await target.write([`${viewerFolder}/images.json`], document, signal);
  for (const [path, mediaType, file] of files) {
    const bytes = await readFile(file);
    await target.write([path], { bytes, mediaType, isRevised: true }, signal);
  }
};

/** An image in the list; URLs are relative to the page. */
interface ListedImage {
  /** The meta-identifier, decoded. */
  readonly name: string;
  /** Percent-encoded, without a slash at its end. */
  readonly path: string;
  readonly thumbnail: string;
}

const listed = (state: ExportState): readonly ListedImage[] =>
  [...state.images]
    .filter(([, { isDone }]) => isDone)
    .map(([path, image]) => {
      const layout = layoutOf(image);
      const version = layout.versions.at(-1) ?? 3;
      const { uri } = exportName(path, anyRules);
      const folder = `${versionFolder(version, layout)}${uri}`;
      return {
        name: path,
        path: folder,
        thumbnail: `${folder}/${thumbnailOf(layout, version).path}`,
      };
    })
    .sort((one, other) => collator.compare(one.name, other.name));

/** Names were checked when the images were exported. */
const anyRules = { windows: false, foldsCase: false };

const collator = new Intl.Collator("en", { numeric: true });

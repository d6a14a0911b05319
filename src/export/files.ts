import type { ExportVersion } from "./information.ts";
import { type ExportedFile, type ImageLayout, picturesOf } from "./layout.ts";

/** The name of an image's information document. */
export const infoFile = "info.json";

/** The name of an image's manifest, in the folder of its first page. */
export const manifestFile = "manifest.json";

/**
 * The folder of a version of the API, with a slash at its end; empty if the export has one version.
 */
export const versionFolder = (
  version: ExportVersion,
  { versions }: Pick<ImageLayout, "versions">,
): string => (versions.length > 1 ? `${version}/` : "");

/** The path of a file of the image at `path`, relative to the export. */
export const fileAt = (path: string, file: ExportedFile, layout: ImageLayout): string =>
  `${versionFolder(file.version, layout)}${path}/${file.path}`;

/** The paths of an image's info.json, one per version. */
export const infoFiles = (path: string, layout: ImageLayout): readonly string[] =>
  layout.versions.map((version) => fileAt(path, { version, path: infoFile }, layout));

/** The paths of the manifest of an image whose first page is at `path`, one per version. */
export const manifestFiles = (path: string, layout: ImageLayout): readonly string[] =>
  layout.manifest
    ? layout.versions.map((version) => fileAt(path, { version, path: manifestFile }, layout))
    : [];

/** The paths of all derivatives of an image. */
export const pictureFiles = (path: string, layout: ImageLayout): readonly string[] =>
  picturesOf(layout).flatMap(({ files }) => files.map((file) => fileAt(path, file, layout)));

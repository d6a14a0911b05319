import type { ImageInfo } from "../core/info.ts";
import { behaviorOf } from "../presentation/pages.ts";
import { unspecified } from "../presentation/texts.ts";
import { presentationVersions } from "../presentation/versions.ts";
import type { CanvasView, ImageServiceView } from "../presentation/views.ts";
import type { ExportVersion } from "./information.ts";
import { type ImageLayout, type SpelledSize, spelledLargest, thumbnailOf } from "./layout.ts";

/** A page of a manifest and its location in the export. */
export interface ManifestPage {
  readonly layout: ImageLayout;
  /** Counted from 1. */
  readonly number: number;
}

/** The pages of an object, for its manifest. */
export interface ManifestPages {
  /** Shown as the label. */
  readonly name: string;
  readonly info: ImageInfo;
  /** The URI of the manifest. */
  readonly uri: string;
  readonly pages: readonly [ManifestPage, ...ManifestPage[]];
}

/** The manifest of an image and its pages, in the Presentation API of the same version. */
export const manifestOf = (
  version: ExportVersion,
  { name, info, uri, pages }: ManifestPages,
): Record<string, unknown> => {
  const base = uri.slice(0, uri.lastIndexOf("/"));
  const canvas = ({ layout, number }: ManifestPage): CanvasView => {
    const services = servicesOf(version, layout);
    const view = ({ path, size }: SpelledSize) => ({
      uri: `${services[0]?.uri ?? ""}/${path}`,
      size,
      services,
    });
    return {
      id: `${base}/canvas/${number}`,
      label: unspecified(pages.length === 1 ? name : String(number)),
      size: layout.size,
      image: view(spelledLargest(layout, version)),
      thumbnail: view(thumbnailOf(layout, version)),
    };
  };
  const [first, ...others] = pages;
  const written = presentationVersions.find(({ number }) => number === version);
  return (
    written?.manifest({
      id: uri,
      label: unspecified(name),
      behavior: behaviorOf(info),
      canvases: [canvas(first), ...others.map(canvas)],
    }) ?? {}
  );
};

const servicesOf = (version: ExportVersion, layout: ImageLayout): readonly ImageServiceView[] =>
  // Presentation API 2 does not support services of Image API 3.
  (version === 2 ? ([2] as const) : ([3, 2] as const)).flatMap((number) => {
    const uri = layout.uris[number];
    return uri === undefined ? [] : [{ version: number, uri, level: 0 as const }];
  });

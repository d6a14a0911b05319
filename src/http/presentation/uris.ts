import { segmentOfText } from "../../core/identifier.ts";
import { complianceLevel } from "../../iiif/features.ts";
import type { PageAddress } from "../../presentation/canvases.ts";
import type { Exchange } from "../request/exchange.ts";
import type { PresentationDeps } from "./deps.ts";

type UriDeps = Pick<
  PresentationDeps,
  "presentation" | "identifierSyntax" | "imageVersions" | "outputs"
>;

/** The public URIs in documents of one version. Segments are raw. */
export interface Uris {
  manifest(segment: string): string;
  /** The manifest of a folder, by its path. */
  folderManifest(folder: string): string;
  /** The collection of a folder, by its path; "" is the top-level one. */
  collection(folder: string): string;
  page(segment: string): PageAddress;
}

/** Creates the URIs by which the client of an exchange knows the server. */
export const urisFor = (
  { address: { base } }: Pick<Exchange, "address">,
  { presentation, identifierSyntax, imageVersions, outputs }: UriDeps,
): Uris => {
  const root = `${base}/presentation/${presentation.number}`;
  const syntax = identifierSyntax();
  const numbers = imageVersions().map(({ number }) => number);
  const level = complianceLevel(outputs());
  const manifest = (segment: string): string => `${root}/${segment}/manifest.json`;
  return {
    manifest,
    folderManifest: (folder) => manifest(segmentOfText(folder, syntax)),
    collection: (folder) =>
      folder === ""
        ? `${root}/collection.json`
        : `${root}/${segmentOfText(folder, syntax)}/collection.json`,
    page: (segment) => ({
      canvas: `${root}/${segment}/canvas`,
      services: numbers.map((version) => ({
        version,
        uri: `${base}/iiif/${version}/${segment}`,
        level,
      })),
    }),
  };
};

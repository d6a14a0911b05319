import { defineKeys, type Settings } from "../config/keys.ts";
import { isWebUrl } from "./description-reading.ts";
import { english, unspecified } from "./texts.ts";
import type { Description } from "./views.ts";

/** Keys of manifests and collections. */
export const presentationKeys = defineKeys({
  "endpoint.presentation.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether manifests and collections of the IIIF Presentation API are served at `/presentation/2` and `/presentation/3`. They list the folders of the source to everyone; images that access rules or the delegate's `pre_authorize` deny to a client are omitted.",
  },
  "endpoint.presentation.max_canvases": {
    type: "integer",
    default: 2_000,
    min: 1,
    max: 100_000,
    doc: "Maximum number of canvases in a manifest; folders and documents with more get 403. The manifest of a folder opens each image to read its size.",
  },
  "endpoint.presentation.max_items": {
    type: "integer",
    default: 10_000,
    min: 1,
    max: 1_000_000,
    doc: "Maximum number of objects and subfolders in a folder; folders with more get 403, because manifests and collections are not paged.",
  },
  "endpoint.presentation.metadata": {
    type: "boolean",
    default: true,
    doc: "Whether manifests contain embedded metadata of images: title, creator, date, rights and the like.",
  },
  "endpoint.presentation.side_files": {
    type: "boolean",
    default: true,
    doc: "Whether a file `manifest.yml`, `manifest.yaml` or `manifest.json` next to the images overrides properties of their manifests.",
  },
  "endpoint.presentation.attribution": {
    type: "string",
    default: "",
    doc: "Text that viewers must show with every image (`requiredStatement`), unless its metadata or side file has one. Empty for none.",
  },
  "endpoint.presentation.homepage": {
    type: "string",
    default: "",
    doc: "URL of a web page about the images, for every manifest and collection. Empty for none.",
  },
  "endpoint.presentation.provider.id": {
    type: "string",
    default: "",
    doc: "URI of the institution that provides the images, for every manifest and collection; needs `endpoint.presentation.provider.label`. Empty for none.",
  },
  "endpoint.presentation.provider.label": {
    type: "string",
    default: "",
    doc: "Name of that institution.",
  },
  "endpoint.presentation.provider.logo": {
    type: "string",
    default: "",
    doc: "URL of that institution's logo. Empty for none.",
  },
});

/** The configured properties of all manifests; addresses that are not http or https are skipped. */
export const configuredDescription = (settings: Settings<typeof presentationKeys>): Description => {
  const attribution = settings["endpoint.presentation.attribution"];
  const homepage = settings["endpoint.presentation.homepage"];
  const id = settings["endpoint.presentation.provider.id"];
  const label = settings["endpoint.presentation.provider.label"];
  const logo = settings["endpoint.presentation.provider.logo"];
  return {
    ...(attribution
      ? {
          requiredStatement: { label: english("Attribution"), value: unspecified(attribution) },
        }
      : {}),
    ...(isWebUrl(homepage) ? { homepage: { id: homepage, label: english("Homepage") } } : {}),
    ...(isWebUrl(id) && label
      ? { provider: { id, label: unspecified(label), ...(isWebUrl(logo) ? { logo } : {}) } }
      : {}),
  };
};

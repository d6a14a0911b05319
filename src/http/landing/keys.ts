import { defineKeys } from "../../config/keys.ts";

/** The page at `/`. */
export const landingKeys = defineKeys({
  "endpoint.landing.enabled": {
    type: "boolean",
    default: true,
    doc: "Whether `/` shows a page that describes the server, with a viewer for its images.",
  },
  "endpoint.landing.list": {
    type: "boolean",
    default: false,
    doc: "Whether the page at `/` is a gallery of all folders and images of the source, with a search, for everyone who opens it. This needs FilesystemSource with a folder as prefix, S3Source or AzureStorageSource, with BasicLookupStrategy and without `source.rules`. Images that access rules or the delegate's `pre_authorize` deny to a client are omitted.",
  },
  "endpoint.landing.max_searched": {
    type: "integer",
    default: 200_000,
    min: 0,
    max: 2_000_000,
    doc: "Maximum number of names that the search of the gallery covers. Each worker process reads them from the source at the first search and keeps them in memory, about 100 bytes each. 0: no search.",
  },
  "endpoint.landing.viewers": {
    type: "list",
    fileOnly: "service",
    default: [
      "Mirador=https://projectmirador.org/embed/?iiif-content={manifest}",
      "Universal_Viewer=https://universalviewer.dev/#?iiifManifestId={manifest}",
      "Theseus=https://theseusviewer.org/?iiif-content={manifest}",
      "Clover=https://samvera-labs.github.io/clover-iiif/docs/viewer/demo?iiif-content={manifest}",
    ],
    doc: "Viewers on other sites that the page at `/` links to if manifests are enabled, each as `label=URL` with `{manifest}` for the address of the manifest; `_` in a label is shown as a space. They can only open manifests that they reach over the network. `none`: no links.",
  },
});

import { complianceUri, contextOf } from "./services.ts";
import type { LanguageMap } from "./texts.ts";
import type {
  CanvasView,
  CollectionView,
  Description,
  ImageServiceView,
  ImageView,
  ItemView,
  LabelledValue,
  ManifestView,
  PresentationVersion,
} from "./views.ts";

type Json = Record<string, unknown>;

/** Presentation API 2.1.1. */
export const v2: PresentationVersion = {
  number: 2,
  context: "http://iiif.io/api/presentation/2/context.json",
  mediaType: "application/json",
  manifest: (view: ManifestView) => ({
    "@context": v2.context,
    "@id": view.id,
    "@type": "sc:Manifest",
    ...described(view),
    ...(view.viewingDirection ? { viewingDirection: view.viewingDirection } : {}),
    ...(hints.has(view.behavior) ? { viewingHint: view.behavior } : {}),
    thumbnail: imageOf(view.canvases[0].thumbnail),
    sequences: [
      {
        "@id": `${view.id.replace(/\/manifest\.json$/, "")}/sequence`,
        "@type": "sc:Sequence",
        canvases: view.canvases.map(canvas),
      },
    ],
  }),
  collection: (view: CollectionView) => ({
    "@context": v2.context,
    "@id": view.id,
    "@type": "sc:Collection",
    ...described(view),
    ...(view.partOf ? { within: view.partOf.id } : { viewingHint: "top" }),
    collections: view.items.filter(({ kind }) => kind === "collection").map(reference),
    manifests: view.items.filter(({ kind }) => kind === "manifest").map(reference),
  }),
};

/** The behaviours that are a `viewingHint` of manifests (2.1 §3.1). */
const hints: ReadonlySet<string> = new Set(["individuals", "paged", "continuous"]);

const canvas = (view: CanvasView): Json => {
  const { id, size, image } = view;
  return {
    "@id": id,
    "@type": "sc:Canvas",
    ...described(view),
    width: size.width,
    height: size.height,
    thumbnail: imageOf(view.thumbnail),
    images: [
      {
        "@id": `${id}/painting`,
        "@type": "oa:Annotation",
        motivation: "sc:painting",
        resource: imageOf(image),
        on: id,
      },
    ],
  };
};

/** Version 2.1 has no property for the provider, but for its logo and page (2.1 §3.1, §3.3). */
const described = ({ label, summary, metadata = [], ...view }: Description): Json => {
  const { rights, requiredStatement, provider } = view;
  const homepage = view.homepage ?? provider?.homepage;
  return {
    ...(label ? { label: text(label) } : {}),
    ...(summary ? { description: text(summary) } : {}),
    ...(metadata.length > 0 ? { metadata: metadata.map(pair) } : {}),
    ...(requiredStatement ? { attribution: text(requiredStatement.value) } : {}),
    ...(rights ? { license: rights } : {}),
    ...(homepage
      ? { related: { "@id": homepage.id, label: text(homepage.label), format: "text/html" } }
      : {}),
    ...(provider?.logo ? { logo: provider.logo } : {}),
  };
};

const pair = ({ label, value }: LabelledValue): Json => ({
  label: text(label),
  value: text(value),
});

/** One text as a string, several or those with a language as a list (2.1 §4.2, §4.3). */
const text = (texts: LanguageMap): unknown => {
  const all = Object.entries(texts).flatMap(([language, values]) =>
    values.map((value) =>
      language === "none" ? value : { "@value": value, "@language": language },
    ),
  );
  return all.length === 1 ? all[0] : all;
};

const imageOf = ({ uri, size, services }: ImageView): Json => ({
  "@id": uri,
  "@type": "dctypes:Image",
  format: "image/jpeg",
  width: size.width,
  height: size.height,
  ...service(services),
});

/** Viewers of this version expect a single service, and support Image API 2. */
const service = (services: readonly ImageServiceView[]): Json => {
  const [known] = [2, 1, 3].flatMap((number) =>
    services.filter(({ version }) => version === number),
  );
  if (known === undefined) return {};
  return {
    service: {
      "@context": contextOf(known.version),
      "@id": known.uri,
      profile: complianceUri(known),
    },
  };
};

const reference = ({ kind, id, label }: ItemView): Json => ({
  "@id": id,
  "@type": kind === "collection" ? "sc:Collection" : "sc:Manifest",
  label: text(label),
});

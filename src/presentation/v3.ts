import { complianceUri } from "./services.ts";
import type { LanguageMap } from "./texts.ts";
import type {
  CanvasView,
  CollectionView,
  Description,
  Homepage,
  ImageServiceView,
  ImageView,
  ItemView,
  ManifestView,
  PresentationVersion,
  Provider,
} from "./views.ts";

type Json = Record<string, unknown>;

/** Presentation API 3.0. */
export const v3: PresentationVersion = {
  number: 3,
  context: "http://iiif.io/api/presentation/3/context.json",
  mediaType: "application/ld+json",
  manifest: (view: ManifestView) => ({
    "@context": v3.context,
    id: view.id,
    type: "Manifest",
    ...described(view),
    ...(view.viewingDirection ? { viewingDirection: view.viewingDirection } : {}),
    behavior: [view.behavior],
    thumbnail: [imageOf(view.canvases[0].thumbnail)],
    items: view.canvases.map(canvas),
  }),
  collection: (view: CollectionView) => ({
    "@context": v3.context,
    id: view.id,
    type: "Collection",
    ...described(view),
    ...(view.partOf ? { partOf: [reference(view.partOf)] } : {}),
    items: view.items.map(reference),
  }),
};

const canvas = (view: CanvasView): Json => {
  const { id, size, image, thumbnail } = view;
  return {
    id,
    type: "Canvas",
    ...described(view),
    width: size.width,
    height: size.height,
    thumbnail: [imageOf(thumbnail)],
    items: [
      {
        id: `${id}/page`,
        type: "AnnotationPage",
        items: [
          {
            id: `${id}/painting`,
            type: "Annotation",
            motivation: "painting",
            target: id,
            body: imageOf(image),
          },
        ],
      },
    ],
  };
};

const described = (view: Description): Json => ({
  ...(view.label ? { label: view.label } : {}),
  ...(view.summary ? { summary: view.summary } : {}),
  ...(view.metadata && view.metadata.length > 0 ? { metadata: view.metadata } : {}),
  ...(view.requiredStatement ? { requiredStatement: view.requiredStatement } : {}),
  ...(view.rights ? { rights: view.rights } : {}),
  ...(view.homepage ? { homepage: [homepage(view.homepage)] } : {}),
  ...(view.provider ? { provider: [provider(view.provider)] } : {}),
});

const homepage = ({ id, label }: Homepage): Json => ({ id, type: "Text", label, format: html });

const html = "text/html";

const provider = ({ id, label, homepage: page, logo }: Provider): Json => ({
  id,
  type: "Agent",
  label,
  ...(page ? { homepage: [homepage(page)] } : {}),
  ...(logo ? { logo: [{ id: logo, type: "Image" }] } : {}),
});

const imageOf = ({ uri, size, services }: ImageView): Json => ({
  id: uri,
  type: "Image",
  format: "image/jpeg",
  width: size.width,
  height: size.height,
  service: services.map(service),
});

/** Services before Image API 3 keep their own keys (Presentation 3.0 §3.4, `service`). */
const service = (view: ImageServiceView): Json =>
  view.version === 3
    ? { id: view.uri, type: "ImageService3", profile: `level${view.level}` }
    : { "@id": view.uri, "@type": `ImageService${view.version}`, profile: complianceUri(view) };

const reference = ({
  kind,
  id,
  label,
}: ItemView): { id: string; type: string; label: LanguageMap } => ({
  id,
  type: kind === "collection" ? "Collection" : "Manifest",
  label,
});

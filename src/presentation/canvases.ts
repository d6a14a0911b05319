import type { Constraint } from "../core/identifier.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { Confinement } from "../core/request.ts";
import type { Limits } from "../iiif/limits.ts";
import { behaviorOf, canvasCount } from "./pages.ts";
import { largestImage, pictureSizes, thumbnailImage } from "./pictures.ts";
import type { ImageEntry, PageEntry } from "./side-file.ts";
import { type LanguageMap, unspecified } from "./texts.ts";
import type { Behavior, CanvasView, Description, ImageServiceView } from "./views.ts";

/** URIs of a page. */
export interface PageAddress {
  /** The URI of its canvas. */
  readonly canvas: string;
  /** Its image services, the preferred one first; at least one. */
  readonly services: readonly ImageServiceView[];
}

/** An image as a manifest shows it. */
export interface PresentedImage {
  /** The last part of its identifier, used as the label if there is no other. */
  readonly name: string;
  readonly info: ImageInfo;
  /** Its embedded metadata; empty if that is not shown. */
  readonly embedded: Description;
  /** Its entry in a side file. */
  readonly entry?: ImageEntry | undefined;
  readonly limits: Limits;
  readonly constraint: Constraint;
  readonly confinement?: Confinement | undefined;
  /** The only page to show, counted from 1; absent for all. */
  readonly only?: number | undefined;
  /** URIs of a page, counted from 1. */
  address(page: number): PageAddress;
}

/** The label and description of an image. */
export const imageDescription = ({
  name,
  embedded,
  entry,
}: Pick<PresentedImage, "name" | "embedded" | "entry">): Description & { label: LanguageMap } => ({
  label: unspecified(name),
  ...embedded,
  ...descriptionIn(entry),
});

/** The pages of an image that get a canvas, in order. */
export const shownPages = (
  image: Pick<PresentedImage, "info" | "entry" | "only">,
): readonly number[] => pagesShown(image).map(({ page }) => page);

/** The layout of an image's own manifest. */
export const imageBehavior = ({
  info,
  entry,
  only,
}: Pick<PresentedImage, "info" | "entry" | "only">): Behavior =>
  entry?.behavior ?? (only === undefined ? behaviorOf(info) : "individuals");

/** The canvases of an image in its own manifest, without the manifest's description. */
export const ownCanvases = (image: PresentedImage): readonly CanvasView[] => {
  const pages = pagesShown(image);
  const { label } = imageDescription(image);
  return pages.map((entry) =>
    canvasOf(image, entry, { label: pages.length === 1 ? label : unspecified(`${entry.page}`) }),
  );
};

/** The canvases of an image in a folder's manifest, each with the image's description. */
export const canvasesAmongOthers = (image: PresentedImage): readonly CanvasView[] => {
  const pages = pagesShown(image);
  const described = imageDescription(image);
  return pages.map((entry) =>
    canvasOf(
      image,
      entry,
      pages.length === 1
        ? described
        : { ...described, label: numbered(described.label, entry.page) },
    ),
  );
};

/** The pages that are shown, in order; pages in a side file that do not exist are skipped. */
const pagesShown = ({
  info,
  entry,
  only,
}: Pick<PresentedImage, "info" | "entry" | "only">): readonly PageEntry[] => {
  const count = canvasCount(info);
  if (only !== undefined)
    return [entry?.pages?.find(({ page }) => page === only) ?? { page: only }];
  const chosen = entry?.pages?.filter(({ page }) => page <= count) ?? [];
  if (chosen.length > 0) return chosen;
  return Array.from({ length: count }, (_, at) => ({ page: at + 1 }));
};

const canvasOf = (
  { info, limits, constraint, confinement, address }: PresentedImage,
  { page, ...said }: PageEntry,
  described: Description & { readonly label: LanguageMap },
): CanvasView => {
  const sizes = pictureSizes(pageNumbered(info, page), { limits, constraint, confinement });
  const { canvas, services } = address(page);
  return {
    ...described,
    ...said,
    id: canvas,
    size: sizes.full,
    image: largestImage(sizes, services),
    thumbnail: thumbnailImage(sizes, services),
  };
};

/** The page with a number; for a video, the page that stands for all its seconds. */
const pageNumbered = ({ pages }: ImageInfo, page: number): Page => pages[page - 1] ?? pages[0];

const numbered = (label: LanguageMap, page: number): LanguageMap =>
  Object.fromEntries(
    Object.entries(label).map(([language, texts]) => [
      language,
      texts.map((text) => `${text} (${page})`),
    ]),
  );

/** The description in an entry. */
const descriptionIn = (entry: ImageEntry | undefined): Description => {
  if (entry === undefined) return {};
  const { hide: _, behavior: __, viewingDirection: ___, pages: ____, ...described } = entry;
  return described;
};

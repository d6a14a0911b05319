import { inParts } from "../clients/objects.ts";
import { ServerError, UnknownFormat } from "../core/errors.ts";
import { area, type Size, upright } from "../core/geometry.ts";
import { type MetaIdentifier, unconstrained } from "../core/identifier.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { KnownImage } from "../service/known.ts";
import { fileAt, manifestFile, manifestFiles, versionFolder } from "./files.ts";
import { exportImage, type ImageOutcome, isThere, removeImage, type Workplace } from "./image.ts";
import type { ImageLayout, LayoutOptions } from "./layout.ts";
import { manifestOf } from "./manifest.ts";
import { type ExportName, exportName, type NameRules, TakenNames } from "./names.ts";
import { TargetFailure } from "./target.ts";

/** An export of many images. */
export interface CollectionJob {
  /** The identifiers of objects of the source; objects that are not images are skipped. */
  readonly identifiers: readonly string[];
  readonly options: LayoutOptions;
  /** The public URL of the export's folder, without a slash at its end. */
  readonly baseUrl: string;
  readonly rules: NameRules;
  /** Number of images exported at the same time. */
  readonly concurrency: number;
}

/** Receives the progress of an export. */
export interface CollectionWatch {
  /** A share of all objects, 0 to 1, the number of finished ones, and of exported pixels. */
  onProgress(share: number, done: number, pixels: number): void;
  onExported(image: ExportedPage): void;
  onFailure(identifier: string, error: ServerError): void;
  /** A file that is not an image. */
  onSkipped(identifier: string): void;
}

/** An exported image. */
export interface ExportedPage {
  readonly name: ExportName;
  readonly size: Size;
  readonly outcome: ImageOutcome;
  readonly hasAlpha: boolean;
}

/** The images found in a collection. */
export interface CollectionResult {
  /** The paths of images that are in the source, exported or not. */
  readonly present: ReadonlySet<string>;
  /** The identifiers of objects whose pages are unknown because they cannot be read. */
  readonly unread: ReadonlySet<string>;
}

/** Exports images and their pages. Throws `TargetFailure` if writing fails. */
export const exportCollection = async (
  job: CollectionJob,
  place: Workplace,
  watch: CollectionWatch,
  signal: AbortSignal,
): Promise<CollectionResult> => {
  const taken = new TakenNames(job.rules);
  const present = new Set<string>();
  const unread = new Set<string>();
  const standing = new Standing(job.identifiers.length, watch);
  await inParts(job.identifiers, { size: 1, concurrency: job.concurrency }, async (part) => {
    const [identifier = ""] = part;
    signal.throwIfAborted();
    try {
      const image = await place.rendering.know(identifier, signal);
      const pages = pagesOf(image.info);
      let pixels = 0;
      const exported: ExportedLayout[] = [];
      for (const [n, page] of pages.entries()) {
        const id = idOf(identifier, n);
        const name = exportName(place.rendering.nameOf(id), job.rules);
        taken.take(name);
        present.add(name.path);
        const found = { id, name, image, page, index: n };
        const onProgress = (share: number): void =>
          standing.at(identifier, (n + share) / pages.length, pixels + share * area(page.size));
        exported.push(await exportPage(found, job, { place, watch, onProgress }, signal));
        pixels += area(page.size);
      }
      await writeManifests({ identifier, image, exported }, job, place, signal);
    } catch (error) {
      if (signal.aborted || error instanceof TargetFailure || !(error instanceof ServerError))
        throw error;
      unread.add(identifier);
      if (error instanceof UnknownFormat) watch.onSkipped(identifier);
      else watch.onFailure(identifier, error);
    }
    standing.end(identifier);
  });
  return { present, unread };
};

/**
 * Removes images that are no longer in the source from an export; `isMeant` decides which
 * identifiers the collection covers. Returns the number of removed images.
 */
export const removeAbsent = async (
  { present, unread }: CollectionResult,
  isMeant: (identifier: string) => boolean,
  place: Pick<Workplace, "state" | "target">,
  signal: AbortSignal,
): Promise<number> => {
  const gone = [...place.state.images].filter(
    ([path, { source }]) => isMeant(source) && !present.has(path) && !unread.has(source),
  );
  for (const [path] of gone) await removeImage(path, place, signal);
  return gone.length;
};

interface FoundPage {
  readonly id: MetaIdentifier;
  readonly name: ExportName;
  readonly image: KnownImage;
  readonly page: Page;
  readonly index: number;
}

const exportPage = async (
  found: FoundPage,
  { options, baseUrl }: CollectionJob,
  {
    place,
    watch,
    onProgress,
  }: {
    readonly place: Workplace;
    readonly watch: CollectionWatch;
    readonly onProgress: (share: number) => void;
  },
  signal: AbortSignal,
): Promise<ExportedLayout> => {
  const { name, page } = found;
  const size = upright(page.size, page.orientation);
  const uris = Object.fromEntries(
    options.versions.map((version) => [
      version,
      `${baseUrl}/${versionFolder(version, options)}${name.uri}`,
    ]),
  );
  const layout = { ...options, size, uris };
  const outcome = await exportImage({ ...found, layout, onProgress }, place, signal);
  watch.onExported({ name, size, outcome, hasAlpha: page.colour.alpha });
  return { name, layout, outcome };
};

/** A page that is in the export. */
interface ExportedLayout {
  readonly name: ExportName;
  readonly layout: ImageLayout;
  readonly outcome: ImageOutcome;
}

/** Writes the manifests of an image with all its pages, unless they are up to date. */
const writeManifests = async (
  {
    identifier,
    image,
    exported,
  }: {
    readonly identifier: string;
    readonly image: KnownImage;
    readonly exported: readonly ExportedLayout[];
  },
  { options, baseUrl }: CollectionJob,
  { target }: Workplace,
  signal: AbortSignal,
): Promise<void> => {
  const [first, ...others] = exported.map(({ layout }, n) => ({ layout, number: n + 1 }));
  const [page] = exported;
  if (!options.manifest || first === undefined || page === undefined) return;
  const isUnchanged = exported.every(({ outcome }) => outcome === "unchanged");
  const files = manifestFiles(page.name.path, page.layout);
  if (isUnchanged && (await isThere(files, target, signal))) return;
  for (const version of options.versions) {
    const file = { version, path: manifestFile };
    const manifest = manifestOf(version, {
      name: identifier.slice(identifier.lastIndexOf("/") + 1),
      info: image.info,
      uri: `${baseUrl}/${versionFolder(version, options)}${page.name.uri}/${manifestFile}`,
      pages: [first, ...others],
    });
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    const document = { bytes, mediaType: "application/json", isRevised: true };
    await target.write([fileAt(page.name.path, file, page.layout)], document, signal);
  }
};

/** All pages; of a video, the first frame. */
const pagesOf = ({ pages, seconds }: ImageInfo): readonly Page[] =>
  seconds === undefined ? pages : pages.slice(0, 1);

const idOf = (identifier: string, n: number): MetaIdentifier => ({
  identifier,
  page: n + 1,
  constraint: unconstrained,
});

/** The progress of a collection. */
class Standing {
  readonly #total: number;
  readonly #watch: CollectionWatch;
  readonly #underWay = new Map<string, { readonly share: number; readonly pixels: number }>();
  #done = 0;
  #pixels = 0;

  constructor(total: number, watch: CollectionWatch) {
    this.#total = total;
    this.#watch = watch;
  }

  at(identifier: string, share: number, pixels: number): void {
    this.#underWay.set(identifier, { share, pixels });
    this.#tell();
  }

  end(identifier: string): void {
    this.#pixels += this.#underWay.get(identifier)?.pixels ?? 0;
    this.#underWay.delete(identifier);
    this.#done++;
    this.#tell();
  }

  #tell(): void {
    let [share, pixels] = [this.#done, this.#pixels];
    for (const one of this.#underWay.values()) {
      share += one.share;
      pixels += one.pixels;
    }
    this.#watch.onProgress(share / Math.max(1, this.#total), this.#done, pixels);
  }
}

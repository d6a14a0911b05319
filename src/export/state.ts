import { fail } from "../core/errors.ts";
import type { Size } from "../core/geometry.ts";
import type { ImageLayout, LayoutOptions } from "./layout.ts";
import { stateFile } from "./names.ts";
import type { ExportTarget } from "./target.ts";

/** The record of an image in an export. */
export interface ExportedImage {
  /** The identifier of the source's object, without page. */
  readonly source: string;
  /** Changes with the image, the options and the server's settings. */
  readonly key: string;
  /** Upright, in pixels. */
  readonly size: Size;
  /** The options that determine the names of its files. */
  readonly options: LayoutOptions;
  /** Whether all its files, including info.json, are written. */
  readonly isDone: boolean;
}

/** Minimum milliseconds between two writes of the record. */
const intervalMs = 2_000;

/** Minimum ratio of the time between writes of the record to the time that a write takes. */
const patience = 20;

/**
 * The record of the images in an export, by path. It is written periodically and at the end; images
 * that are missing from it after a crash are exported again.
 */
export class ExportState {
  readonly #target: ExportTarget;
  readonly #images: Map<string, ExportedImage>;
  #isChanged = false;
  #nextMs = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(target: ExportTarget, images: Map<string, ExportedImage>) {
    this.#target = target;
    this.#images = images;
  }

  /** Reads the record of an export; throws `malformed` if its version is unknown. */
  static async read(target: ExportTarget, signal: AbortSignal): Promise<ExportState> {
    const bytes = await target.read(stateFile, signal);
    return new ExportState(target, bytes === undefined ? new Map() : parsed(bytes, target.place));
  }

  get(path: string): ExportedImage | undefined {
    return this.#images.get(path);
  }

  get images(): Iterable<readonly [string, ExportedImage]> {
    return this.#images;
  }

  /** Records an image, before its first file and again after its last one. */
  async set(path: string, image: ExportedImage, signal: AbortSignal): Promise<void> {
    this.#images.set(path, image);
    this.#isChanged = true;
    if (performance.now() >= this.#nextMs) await this.save(signal);
  }

  /** Removes an image whose files are gone. */
  forget(path: string): void {
    this.#isChanged = this.#images.delete(path) || this.#isChanged;
  }

  /** Writes the record, if anything changed. */
  save(signal: AbortSignal): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write(signal));
    return this.#writing;
  }

  async #write(signal: AbortSignal): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    const began = performance.now();
    const bytes = Buffer.from(serialised(this.#images));
    const file = { bytes, mediaType: "application/json", isRevised: true };
    try {
      await this.#target.write([stateFile], file, signal);
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
    const now = performance.now();
    this.#nextMs = now + Math.max(intervalMs, (now - began) * patience);
  }
}

const format = "vitrine-export-1";

/** Options are listed once: most images share them. */
const serialised = (images: ReadonlyMap<string, ExportedImage>): string => {
  const options: string[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, options.length);
    return options.push(text) - 1;
  };
  const listed = [...images].map(([path, image]) => [
    path,
    { ...image, options: numberOf(JSON.stringify(image.options)) },
  ]);
  const texts = options.map((text): unknown => JSON.parse(text));
  return JSON.stringify({ format, options: texts, images: listed });
};

interface Stored {
  readonly format: string;
  readonly options: readonly LayoutOptions[];
  readonly images: readonly [
    string,
    Omit<ExportedImage, "options"> & { readonly options: number },
  ][];
}

const parsed = (bytes: Uint8Array, place: string): Map<string, ExportedImage> => {
  try {
    const stored: Stored = JSON.parse(Buffer.from(bytes).toString("utf8"));
    if (stored.format !== format) throw new Error(`Its format is ${stored.format}.`);
    return new Map(
      stored.images.map(([path, { options: number, ...image }]) => {
        // Files at these paths are removed: none may lead out of the export.
        if (path.split("/").some((part) => ["", ".", ".."].includes(part)))
          throw new Error(`It has the path '${path}'.`);
        const options = stored.options[number];
        if (options === undefined) throw new Error(`It has no options ${number}.`);
        return [path, { ...image, options }];
      }),
    );
  } catch (error) {
    return fail(
      "malformed",
      `The record of the export (${stateFile} in ${place}) cannot be read. Export to an empty folder or prefix, or restore the record.`,
      error,
    );
  }
};

/** The part of a recorded image's layout that determines file names. */
export const layoutOf = ({ size, options }: ExportedImage): ImageLayout => ({
  ...options,
  size,
  uris: {},
});

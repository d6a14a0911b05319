import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** An image of the shared corpus, as measured for its manifest. */
export interface CorpusFile {
  readonly path: string;
  readonly width?: number;
  readonly height?: number;
  readonly orientation?: number;
  readonly upright_width?: number;
  readonly upright_height?: number;
  readonly pages?: number;
  readonly frames?: number;
  readonly colour?: string;
  /** By its content, not its name. */
  readonly format: string;
  /**
   * Of a TIFF with several directories: their sizes and subfile types, as in
   * `500x500 reduced-resolution image`.
   */
  readonly directories?: readonly string[];
  /** Of JPEG 2000, one entry for all components where they are the same. */
  readonly component_subsampling?: string | readonly string[];
  /** Of a PDF's first page, in degrees. */
  readonly rotation?: number;
  readonly duration_s?: number;
  /** Of JPEG XL, the output of libjxl's own program. */
  readonly info?: string;
  /** Sixteen colours, row by row, as hexadecimal sRGB. */
  readonly grid?: readonly string[];
  readonly expect: "ok" | "ok-or-unsupported" | "error" | "error-or-image";
}

/** The folder of the corpus, beside this checkout. */
export const corpusFolder = fileURLToPath(new URL("../../shared/corpus/", import.meta.url));

/** Whether the corpus is beside this checkout. */
export const corpusIsHere = existsSync(`${corpusFolder}manifest.json`);

/** The message of a test that needs it. */
export const corpusIsMissing =
  "the corpus of test pictures is not beside the checkout: nothing was compared with it";

/** The path of an image of the corpus. */
export const corpusPath = (file: CorpusFile): string => corpusFolder + file.path;

/** Every image of the corpus. */
export const allCorpusFiles = (): readonly CorpusFile[] => {
  if (!corpusIsHere) return [];
  const manifest = JSON.parse(readFileSync(`${corpusFolder}manifest.json`, "utf8")) as {
    readonly files: readonly CorpusFile[];
  };
  return manifest.files;
};

/** The images in some of the corpus's folders. */
export const corpusFiles = (...folders: readonly string[]): CorpusFile[] =>
  allCorpusFiles().filter(({ path }) => folders.includes(path.split("/")[0] ?? ""));

import { access, constants, copyFile, lstat, mkdir, readdir, stat } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fail } from "../core/errors.ts";
import { writePyramid } from "../formats/pyramid.ts";
import { drawStrips } from "./drawing.ts";

/** The folder of sample pictures, and the large one that may still be under way. */
export interface Samples {
  /** What the filesystem source's prefix is to be; it holds the small pictures already. */
  readonly folder: string;
  /** Settles when the large picture stands in the folder, or cannot; never rejects. */
  readonly large: Promise<LargeSample>;
}

export type LargeSample =
  | { readonly identifier: string }
  /** A sentence for the person who started the server. */
  | { readonly missing: string; readonly cause: unknown };

export interface SampleOptions {
  /** Where the samples that come with the package are. */
  readonly shipped?: string;
  /** Folders for what is made when `shipped` cannot be written to, best first. */
  readonly fallbacks?: readonly string[];
  /** The side of the large picture in pixels. */
  readonly side?: number;
}

/**
 * Finds a folder with the project's own pictures for a server without a configuration, and makes
 * the large one, a Mandelbrot set, where no earlier start has. `onProgress` gets lines for a
 * person. With no folder that can be written to, the small pictures are served alone.
 */
export const prepareSamples = async (
  onProgress: (line: string) => void,
  signal: AbortSignal,
  {
    shipped = fileURLToPath(new URL("../../samples/", import.meta.url)),
    fallbacks = cacheFolders(),
    side = 8192,
  }: SampleOptions = {},
): Promise<Samples> => {
  if (await has(join(shipped, large))) return made(shipped);
  let cause: unknown;
  for (const folder of [shipped, ...fallbacks]) {
    signal.throwIfAborted();
    try {
      if (folder !== shipped) await copySmall(shipped, folder);
      if (await has(join(folder, large))) return made(folder);
      await mkdir(join(folder, "made"), { recursive: true });
      await access(join(folder, "made"), constants.W_OK);
      return { folder, large: makeLarge(folder, side, onProgress, signal) };
    } catch (error) {
      cause = error;
    }
  }
  const missing = "No folder for the large sample picture can be written to; it is left out.";
  return { folder: shipped, large: Promise.resolve({ missing, cause }) };
};

/** The identifier of the large picture, and its path in the folder. */
const large = "made/mandelbrot.tif";

const made = (folder: string): Samples => ({
  folder,
  large: Promise.resolve({ identifier: large }),
});

const has = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

/** Folders of this user that outlive the process. */
const cacheFolders = (): readonly string[] => [
  join(homedir(), ".cache", "vitrine", "samples"),
  join(tmpdir(), `vitrine-samples-${process.getuid?.() ?? ""}`),
];

/** Puts the small pictures where the large one can be: a source shows one folder. */
const copySmall = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const folder = await lstat(to);
  // In a folder open to all, someone else may have been there first.
  if (!folder.isDirectory() || (process.getuid && folder.uid !== process.getuid()))
    fail("denied", "samples: the cache folder belongs to someone else");
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith(".")) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    const { size } = await stat(source);
    const there = await stat(target).catch(() => undefined);
    if (there?.size !== size) await copyFile(source, target);
  }
};

const tile = 256;

const makeLarge = async (
  folder: string,
  side: number,
  onProgress: (line: string) => void,
  signal: AbortSignal,
): Promise<LargeSample> => {
  const started = performance.now();
  onProgress(`Making a sample picture of ${side} x ${side} pixels; this happens once …`);
  try {
    await writePyramid(join(folder, large), drawStrips({ side, rows: tile, signal }), {
      size: { width: side, height: side },
      bands: 3,
      tile,
      quality: 90,
      signal,
    });
  } catch (cause) {
    return { missing: "The large sample picture could not be made; it is left out.", cause };
  }
  onProgress(`Made it in ${((performance.now() - started) / 1000).toFixed(1)} seconds.`);
  return { identifier: large };
};

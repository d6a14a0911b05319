import { open } from "node:fs/promises";
import { join } from "node:path";
import { receive } from "../caches/source-download.ts";
import { ServerError } from "../core/errors.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { JobLimits, PyramidJob } from "./job.ts";
import type { JobFolder, Workshop } from "./job-folder.ts";
import { PyramidRefused } from "./refused.ts";

/** Where the file of a job's image may be downloaded to. */
export interface Destination {
  readonly folder: JobFolder;
  readonly workshop: Workshop;
  readonly limits: Pick<JobLimits, "maxDownload">;
  readonly signal: AbortSignal;
}

/**
 * The path of an image's file on this machine: the file itself, a cached copy, or a download in the
 * job's folder. A download is not cached, since it is needed only once and would evict others.
 */
export const localSource = async (
  reader: RangeReader,
  { image, facts }: Pick<PyramidJob, "image" | "facts">,
  destination: Destination,
): Promise<string> => {
  const { signal } = destination;
  const present = reader.path ?? (await reader.copied?.(signal));
  if (present !== undefined) return present;
  const { object, version } = image;
  const { size } = object;
  await checkSize(size, destination);
  const path = join(destination.folder.path, "source");
  const handle = await open(path, "wx", 0o600);
  try {
    const wanted = {
      ...{ identifier: facts.identifier, version, size },
      download: async (stop: AbortSignal) =>
        // An object that another process recorded can only be read.
        (await object.download?.(stop)) ?? { length: size, body: reader.stream(stop) },
    };
    await receive(wanted, handle, { largest: size, stallMs, signal });
  } finally {
    await handle.close();
  }
  return path;
};

/** Milliseconds without data after which a download is aborted. */
const stallMs = 60_000;

const checkSize = async (
  size: number,
  { workshop, limits: { maxDownload } }: Destination,
): Promise<void> => {
  if (size > maxDownload)
    throw new PyramidRefused(
      `The image's file has ${size} bytes; at most ${maxDownload} are downloaded for a pyramid (pyramids.max_download).`,
    );
  const free = await workshop.free();
  if (free < size)
    throw new ServerError(
      "busy",
      `The image's file has ${size} bytes, but only ${free} bytes are free in pyramids.folder. Free disk space there.`,
    );
};

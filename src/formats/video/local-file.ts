import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fail } from "../../core/errors.ts";
import { localPath, type RangeReader } from "../../core/range-reader.ts";

/** Provides an object as a local file: its own, or a temporary copy of at most `max` bytes. */
export const withLocalFile = async <T>(
  reader: RangeReader,
  { max, signal }: { readonly max: number; readonly signal: AbortSignal },
  work: (path: string) => Promise<T>,
): Promise<T> => {
  const { size } = reader;
  const path = await localPath(reader, signal);
  if (path !== undefined) return work(path);
  if (size > max)
    fail(
      "unreadable",
      `Expected a video of at most ${max} bytes, since it is not a local file; this one has ${size}.`,
    );
  const folder = await mkdtemp(join(tmpdir(), "vitrine-video-"));
  try {
    const copy = join(folder, "video");
    await pipeline(reader.stream(signal), createWriteStream(copy, { mode: 0o600 }), { signal });
    return await work(copy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

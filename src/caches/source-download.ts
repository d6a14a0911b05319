import type { FileHandle } from "node:fs/promises";
import { untilAborted } from "../core/abort.ts";
import { ServerError } from "../core/errors.ts";
import { SourceChanged } from "../core/range-reader.ts";

/** The bytes of a stored image in transfer. */
export interface Download {
  /** Their number, where announced. */
  readonly length?: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A stored image in one of its versions. */
export interface DownloadRequest {
  readonly identifier: string;
  readonly version: string;
  /** In bytes; undefined where unknown. */
  readonly size?: number;
  readonly download: (signal: AbortSignal) => Promise<Download>;
}

/**
 * No copy is possible, although the image is available: the folder or the disk does not accept it.
 */
export class CopyFailed extends Error {
  constructor(cause: unknown) {
    super("A stored image could not be copied to this machine.", { cause });
    this.name = "CopyFailed";
  }
}

/** Limits of a download: maximum bytes, milliseconds without any, deadline. */
export interface Receiving {
  readonly largest: number;
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

/**
 * Writes all of an image to a file; returns the number of bytes. Throws where it is not the
 * announced one.
 */
export const receive = async (
  { size, download }: DownloadRequest,
  handle: FileHandle,
  { largest, stallMs, signal }: Receiving,
): Promise<number> => {
  const stalled = new AbortController();
  const both = AbortSignal.any([signal, stalled.signal]);
  const patience = setTimeout(
    () =>
      stalled.abort(new ServerError("upstream", `No data of the image arrived for ${stallMs} ms.`)),
    stallMs,
  );
  try {
    const { length, body } = await untilAborted(both, download(both));
    if (length !== undefined && size !== undefined && length !== size) throw new SourceChanged();
    const expected = size ?? length;
    const max = Math.min(expected ?? Number.POSITIVE_INFINITY, largest);
    let written = 0;
    for await (const chunk of heeding(both, body)) {
      patience.refresh();
      written += chunk.byteLength;
      if (written > max)
        throw new ServerError(
          "upstream",
          `Expected an image of at most ${max} bytes; it is larger.`,
        );
      // `writeFile` on a handle continues from its position until all is written.
      await copying(() => handle.writeFile(chunk));
    }
    if (expected !== undefined && written !== expected)
      throw new ServerError(
        "upstream",
        `Expected ${expected} bytes of the image, but the transfer ended after ${written}.`,
      );
    return written;
  } finally {
    clearTimeout(patience);
  }
};

/**
 * The chunks of a stream until the signal aborts, even where the sender does not heed it; throws
 * `upstream` where it breaks off.
 */
async function* heeding(
  signal: AbortSignal,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await untilAborted(signal, chunks.next());
      if (done) {
        isOver = true;
        return;
      }
      yield value;
    }
  } catch (error) {
    isOver = !signal.aborted;
    if (signal.aborted || error instanceof ServerError) throw error;
    throw new ServerError("upstream", "The image was not transferred completely.", {
      cause: error,
    });
  } finally {
    // A sender that ignores the signal may ignore this, too.
    if (!isOver) chunks.return?.().catch(() => undefined);
  }
}

/** Work on the copy itself, whose errors are this machine's alone. */
export const copying = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw new CopyFailed(error);
    throw error;
  }
};

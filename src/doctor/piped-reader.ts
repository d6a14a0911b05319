import { Readable } from "node:stream";
import { ServerError } from "../core/errors.ts";
import type { ByteRange, RangeReader } from "../core/range-reader.ts";
import type { FromExaminer, ToExaminer } from "./messages.ts";

/** The parent's answer to a request of this process. */
type Answer = Extract<ToExaminer, { readonly id: number }>;

/** A reader whose bytes come from the parent process, and the receiver of the parent's answers. */
export interface PipedReader {
  readonly reader: RangeReader;
  answered(answer: Answer): void;
}

/** Bytes that a stream requests at once. */
const streamBytes = 262_144;

/**
 * Reads an object that only the parent process can reach, such as one of a remote source: this
 * process has neither its address nor credentials.
 */
export const pipedReader = (size: number, send: (message: FromExaminer) => void): PipedReader => {
  const waiting = new Map<number, (answer: Answer) => void>();
  let asked = 0;

  const ask = (message: (id: number) => FromExaminer): Promise<Answer> =>
    new Promise((resolve) => {
      const id = asked++;
      waiting.set(id, resolve);
      send(message(id));
    });

  const readMany = async (
    ranges: readonly ByteRange[],
    signal?: AbortSignal,
  ): Promise<readonly Uint8Array[]> => {
    signal?.throwIfAborted();
    const answer = await ask((id) => ({ kind: "read", id, ranges }));
    signal?.throwIfAborted();
    return answer.kind === "bytes" ? answer.parts : refused();
  };

  const read = async (
    offset: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<Uint8Array> => {
    const [part = new Uint8Array(0)] = await readMany([{ offset, length }], signal);
    return part;
  };

  async function* parts(signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < size; at += streamBytes) yield await read(at, streamBytes, signal);
  }

  return {
    reader: {
      ...{ size, read, readMany },
      isFar: true,
      stream: (signal) => Readable.from(parts(signal), { objectMode: false }),
      async copy() {
        const answer = await ask((id) => ({ kind: "copy", id }));
        return answer.kind === "copied" ? answer.path : refused();
      },
      async close() {},
    },
    answered(answer) {
      const resolve = waiting.get(answer.id);
      waiting.delete(answer.id);
      resolve?.(answer);
    },
  };
};

/** The parent knows the reason and reports it. */
const refused = (): never => {
  throw new ServerError("upstream", "The storage of the image failed.");
};

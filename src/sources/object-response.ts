import { Readable } from "node:stream";
import { loggable } from "../clients/loggable-error.ts";
import type { FetchedPart } from "../clients/part.ts";
import { StoreFailure } from "./remote/failures.ts";
import type { ObjectResponse } from "./remote/store.ts";

/** What a client fetched, as the reading of remote objects has it; `place` is for the log. */
export const responseOf = ({ body, ...facts }: FetchedPart, place: string): ObjectResponse => {
  // A body that breaks while nobody reads it would end the process.
  body.on("error", () => {});
  return { ...facts, body: pieces(body, place), discard: () => void body.destroy() };
};

/** A body whose breaking is a failure of the storage. */
async function* pieces(body: Readable, place: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body as AsyncIterable<Uint8Array>;
  } catch (error) {
    const cause = loggable(error);
    throw new StoreFailure(`${place}: the response broke off: ${cause.message}`, {
      retry: true,
      cause,
    });
  }
}

/** The response for an object without a first byte. */
export const emptyObject = (): ObjectResponse => ({
  size: 0,
  body: Readable.from([]),
  discard: () => {},
});

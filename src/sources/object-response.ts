import { Readable } from "node:stream";
import { loggable } from "../clients/loggable-error.ts";
import type { FetchedPart } from "../clients/part.ts";
import { StoreFailure } from "./remote/failures.ts";
import type { ObjectResponse } from "./remote/store.ts";

/** A client's response in the form that remote objects are read in; `place` is for the log. */
export const responseOf = ({ body, ...facts }: FetchedPart, place: string): ObjectResponse => {
  // An error of an unread body would end the process.
  body.on("error", () => {});
  return { ...facts, body: pieces(body, place), discard: () => void body.destroy() };
};

/** A body whose error becomes an error of the store. */
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

/** The response for an empty object. */
export const emptyObject = (): ObjectResponse => ({
  size: 0,
  body: Readable.from([]),
  discard: () => {},
});

import type { S3Service } from "../clients/s3-client.ts";
import { fetchS3Part } from "../clients/s3-part.ts";
import type { RequestContext } from "../core/context.ts";
import { fail } from "../core/errors.ts";
import { SourceChanged } from "../core/range-reader.ts";
import { emptyObject, responseOf } from "./object-response.ts";
import type { RemoteObject, Store } from "./remote/store.ts";
import type { OpenS3, S3Clients } from "./s3-clients.ts";
import { refuseS3, s3Meaning } from "./s3-failures.ts";

/** Where an object is. */
export interface S3Location {
  readonly bucket: string;
  readonly key: string;
  /** What differs from the service that is configured. */
  readonly service?: Partial<Omit<S3Service, "purpose">>;
}

/**
 * Finds out where the object of an identifier is; undefined where there is none. A delegate's is
 * such a one.
 */
export type S3Lookup = (
  identifier: string,
  context: RequestContext,
) => Promise<S3Location | undefined>;

/** What a store of S3 is made from. */
export interface S3StoreParts {
  readonly lookup: S3Lookup;
  /** The service that is configured. */
  readonly service: () => S3Service;
  readonly clients: S3Clients;
  /** Called where S3 does not let an object be read. */
  readonly onDenied: () => void;
}

/** The objects of S3 and services like it. */
export const s3Store = ({ lookup, service, clients, onDenied }: S3StoreParts): Store => ({
  async locate(identifier, context) {
    const location = await lookup(identifier, context);
    if (location === undefined) return fail("missing", `There is no image '${identifier}'.`);
    const opened = await clients.of({ ...service(), ...location.service });
    return objectAt(opened, location, { identifier, onDenied });
  },
  close: () => clients.close(),
});

interface ObjectRequest {
  readonly identifier: string;
  readonly onDenied: () => void;
}

const objectAt = (
  { client, origin, id }: OpenS3,
  { bucket, key }: S3Location,
  { identifier, onDenied }: ObjectRequest,
): RemoteObject => {
  const place = `s3://${bucket}/${key}`;
  return {
    place,
    origin,
    // Who may not read it by other credentials is not given what was read with these.
    key: `s3 ${id} ${origin} ${bucket}/${key}`,
    async get(range, { etag, signal }) {
      try {
        const fetched = await fetchS3Part(client, { bucket, key }, { range, etag, signal });
        return responseOf(fetched, place);
      } catch (error) {
        signal.throwIfAborted();
        const meaning = s3Meaning(error);
        if (meaning === "denied") onDenied();
        if (meaning !== "unsatisfiable" || range === undefined)
          return refuseS3(error, { identifier, place });
        if (range.offset > 0) throw new SourceChanged(error);
        return emptyObject();
      }
    },
  };
};

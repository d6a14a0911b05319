import type { S3Service } from "../clients/s3-client.ts";
import { fetchS3Part, listS3Keys } from "../clients/s3-part.ts";
import type { RequestContext } from "../core/context.ts";
import { fail } from "../core/errors.ts";
import { SourceChanged } from "../core/range-reader.ts";
import { emptyObject, responseOf } from "./object-response.ts";
import type { RemoteObject, Store, StoreKeys } from "./remote/store.ts";
import type { OpenS3, S3Clients } from "./s3-clients.ts";
import { refuseS3, refuseS3Listing, s3Meaning } from "./s3-failures.ts";

/** The location of an object. */
export interface S3Location {
  readonly bucket: string;
  readonly key: string;
  /** Differences from the configured service. */
  readonly service?: Partial<Omit<S3Service, "purpose">>;
}

/**
 * Locates the object of an identifier; undefined where there is none. Delegates provide such a
 * function.
 */
export type S3Lookup = (
  identifier: string,
  context: RequestContext,
) => Promise<S3Location | undefined>;

/** The dependencies of a store in S3. */
export interface S3StoreParts {
  readonly lookup: S3Lookup;
  /** The configured service. */
  readonly service: () => S3Service;
  readonly clients: S3Clients;
  /** How identifiers are parts of keys; absent if they cannot be listed. */
  readonly naming?: () => S3Naming;
  /** Called where S3 refuses to let an object be read. */
  readonly onDenied: () => void;
}

/** A bucket whose keys contain identifiers. */
export interface S3Naming extends Pick<StoreKeys, "prefix" | "suffix"> {
  readonly bucket: string;
}

/** Objects of S3 and compatible services. */
export const s3Store = ({ lookup, service, clients, naming, onDenied }: S3StoreParts): Store => ({
  async locate(identifier, context) {
    const location = await lookup(identifier, context);
    if (location === undefined) return fail("missing", `There is no image '${identifier}'.`);
    const opened = await clients.of({ ...service(), ...location.service });
    return objectAt(opened, location, { identifier, onDenied });
  },
  ...(naming ? { keys: async () => keysIn(await clients.of(service()), naming()) } : {}),
  close: () => clients.close(),
});

const keysIn = ({ client, origin }: OpenS3, { bucket, ...naming }: S3Naming): StoreKeys => {
  const place = `s3://${bucket}/${naming.prefix}`;
  return {
    ...naming,
    place,
    origin,
    async page(options) {
      try {
        return await listS3Keys(client, bucket, options);
      } catch (error) {
        options.signal.throwIfAborted();
        return refuseS3Listing(error, { place, isContinued: options.after !== undefined });
      }
    },
  };
};

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
    // A client with other credentials must not get cached bytes that were read with these.
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

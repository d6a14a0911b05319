import type * as Sdk from "@aws-sdk/client-s3";
import { fail } from "../core/errors.ts";
import { httpAddress } from "./address.ts";
import { library } from "./library.ts";
import type { Objects } from "./objects.ts";
import { Bucket } from "./s3-bucket.ts";

/** Where a bucket is, and who asks. Blank is as good as absent. */
export interface S3Settings {
  /** An http(s) address of a service that is not Amazon's; its buckets are part of the path. */
  readonly endpoint: string;
  /** Where blank: what the environment or the profile says; us-east-1 where there is an endpoint. */
  readonly region: string;
  /** Where both are blank: what the environment, the profile or the machine's role says. */
  readonly accessKeyId: string;
  readonly secretKey: string;
  readonly bucket: string;
  /** What it is for, to begin messages with: `S3Cache`. */
  readonly purpose: string;
}

const mostConnections = 64;
const connectMs = 5_000;
/** After which a request of any kind is lost, in milliseconds. */
const requestMs = 60_000;
const attempts = 3;

/**
 * Objects of one bucket. Nothing is asked of the service yet. Throws `malformed` where a setting or
 * the client library is missing.
 */
export const openS3 = async (settings: S3Settings): Promise<Objects> => {
  const { bucket, purpose } = settings;
  if (bucket === "") return fail("malformed", `${purpose} needs a bucket; its name is blank.`);
  const sdk = await library("@aws-sdk/client-s3@3.1169.0", {
    load: () => import("@aws-sdk/client-s3"),
    purpose,
  });
  const client = new sdk.S3Client(await clientOptions(settings));
  try {
    await client.config.region();
  } catch (error) {
    client.destroy();
    return fail("malformed", `${purpose} needs a region; it is blank, and none is known.`, error);
  }
  return new Bucket({ sdk, client, bucket }, purpose);
};

const clientOptions = async (settings: S3Settings): Promise<Sdk.S3ClientConfig> => {
  const { region, accessKeyId, secretKey, purpose } = settings;
  if ((accessKeyId === "") !== (secretKey === ""))
    fail("malformed", `${purpose} needs both access key id and secret key, or neither; got one.`);
  const endpoint = endpointOf(settings);
  return {
    // Services that are not Amazon's seldom know the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: requestMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: mostConnections },
      httpsAgent: { keepAlive: true, maxSockets: mostConnections },
      logger: quiet,
    },
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    ...(region !== "" ? { region } : endpoint ? { region: "us-east-1" } : {}),
    ...(accessKeyId === "" ? {} : { credentials: { accessKeyId, secretAccessKey: secretKey } }),
  };
};

/** The library would write to the console that many requests wait for a connection. */
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const endpointOf = ({ endpoint, purpose }: S3Settings): string | undefined => {
  if (endpoint === "") return undefined;
  return httpAddress(
    purpose,
    endpoint,
    /^\w+:\/\//.test(endpoint) ? endpoint : `https://${endpoint}`,
  );
};

import type * as Sdk from "@aws-sdk/client-s3";
import { fail } from "../core/errors.ts";
import { httpAddress } from "./address.ts";
import { library } from "./library.ts";

/** The location of a service that speaks S3, and its credentials. Empty is the same as absent. */
export interface S3Service {
  /** An http(s) URL of a service other than Amazon's. */
  readonly endpoint: string;
  /** Where empty: from the environment or the profile; us-east-1 where there is an endpoint. */
  readonly region: string;
  /** Where both are empty: from the environment, the profile or the machine's role. */
  readonly accessKeyId: string;
  readonly secretKey: string;
  /** Belongs to temporary keys. */
  readonly sessionToken?: string;
  /**
   * Whether the bucket's name is part of the path or of the host; absent: of the path where there
   * is an endpoint.
   */
  readonly addressing?: "path" | "host";
  /** Its user, for the beginning of messages: `S3Cache`. */
  readonly purpose: string;
}

/** How a client sends requests. */
export interface S3Sending {
  /** Maximum number of attempts of a request. */
  readonly attempts: number;
  /** Whether a bucket in another region is looked for there. */
  readonly followsRegions?: boolean;
  /** Maximum number of connections; 64. */
  readonly connections?: number;
  /** Time limit of connecting in milliseconds; 5,000. */
  readonly connectMs?: number;
}

/** The library and a client of one service. */
export interface S3Client {
  readonly sdk: typeof Sdk;
  readonly client: Sdk.S3Client;
}

const usualConnections = 64;
const usualConnectMs = 5_000;
/** Time limit of any request in milliseconds. */
const requestMs = 60_000;

/**
 * A client of one service. Sends no request yet. Throws `malformed` where a setting or the client
 * library is missing.
 */
export const openS3Client = async (service: S3Service, sending: S3Sending): Promise<S3Client> => {
  const { purpose } = service;
  const sdk = await library("@aws-sdk/client-s3@3.1169.0", {
    load: () => import("@aws-sdk/client-s3"),
    purpose,
  });
  const client = new sdk.S3Client(clientOptions(service, sending));
  try {
    await client.config.region();
  } catch (error) {
    client.destroy();
    return fail("malformed", `${purpose} needs a region; it is blank, and none is known.`, error);
  }
  return { sdk, client };
};

const clientOptions = (
  service: S3Service,
  {
    attempts,
    followsRegions = false,
    connections: maxSockets = usualConnections,
    connectMs = usualConnectMs,
  }: S3Sending,
): Sdk.S3ClientConfig => {
  const { region, accessKeyId, secretKey, sessionToken = "", addressing, purpose } = service;
  if ((accessKeyId === "") !== (secretKey === ""))
    fail("malformed", `${purpose} needs both access key id and secret key, or neither; got one.`);
  const endpoint = endpointOf(service);
  const inPath = addressing === undefined ? endpoint !== undefined : addressing === "path";
  return {
    // Services other than Amazon's rarely support the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: requestMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
      logger: quiet,
    },
    forcePathStyle: inPath,
    ...(followsRegions && !endpoint ? { followRegionRedirects: true } : {}),
    ...(endpoint ? { endpoint } : {}),
    ...(region !== "" ? { region } : endpoint ? { region: "us-east-1" } : {}),
    ...(accessKeyId === ""
      ? {}
      : {
          credentials: {
            accessKeyId,
            secretAccessKey: secretKey,
            ...(sessionToken === "" ? {} : { sessionToken }),
          },
        }),
  };
};

/** Keeps the library from printing to the console that many requests wait for a connection. */
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const endpointOf = ({ endpoint, purpose }: S3Service): string | undefined => {
  if (endpoint === "") return undefined;
  return httpAddress(
    purpose,
    endpoint,
    /^\w+:\/\//.test(endpoint) ? endpoint : `https://${endpoint}`,
  );
};

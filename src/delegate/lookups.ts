import type { AnswerCheck } from "../core/delegate.ts";
import { hasControls, isWebAddress } from "./answers.ts";
import { isHash } from "./script/values.ts";

/** The location of an image on a web server. */
export interface HttpResource {
  /** An absolute URL of http or https. */
  readonly uri: string;
  /** For Basic authentication; both or none. */
  readonly username?: string;
  readonly secret?: string;
  /** Sent with every request for the image; may be empty. */
  readonly headers: Readonly<Record<string, string>>;
  /** As in Cantaloupe; true by default. */
  readonly sendHeadRequest: boolean;
}

/** Results of `httpsource_resource_info`: null where there is no such image. */
export const httpResource: AnswerCheck<HttpResource | null> = {
  expected:
    "the absolute URL of the image, an object with uri and perhaps username and secret (texts), headers (an object of texts) and send_head_request (true or false), or null",
  read(answer) {
    if (answer === null || answer === undefined) return null;
    if (typeof answer === "string") return resourceOf({ uri: answer });
    return isHash(answer) ? resourceOf(answer) : undefined;
  },
};

const resourceOf = (hash: LookupHash): HttpResource | undefined => {
  const { uri } = hash;
  const headers = headersOf(hash["headers"]);
  const login = textsOf(hash, ["username", "secret"]);
  const head = hash["send_head_request"] ?? true;
  if (!isWebAddress(uri) || headers === undefined || login === undefined) return undefined;
  if (typeof head !== "boolean" || isHalf(login.username, login.secret)) return undefined;
  return { uri, ...login, headers, sendHeadRequest: head };
};

/** Header names and values that requests may have. */
const headersOf = (value: unknown): Readonly<Record<string, string>> | undefined => {
  if (value === null || value === undefined) return {};
  if (!isHash(value)) return undefined;
  const entries = Object.entries(value);
  return entries.every(
    ([name, text]) =>
      /^[!#$%&'*+.^_`|~\w-]+$/.test(name) &&
      typeof text === "string" &&
      /^[\t -~\u0080-\u00ff]*$/.test(text),
  )
    ? (Object.fromEntries(entries) as Readonly<Record<string, string>>)
    : undefined;
};

/** The location of an image in S3 or a compatible service. */
export interface S3Object {
  readonly bucket: string;
  readonly key: string;
  /** An absolute URL of http or https. */
  readonly endpoint?: string;
  readonly region?: string;
  /** Both or none. */
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
}

/** Results of `s3source_object_info`: null where there is no such image. */
export const s3Object: AnswerCheck<S3Object | null> = {
  expected:
    "an object with bucket and key (texts) and perhaps endpoint (an absolute URL), region, access_key_id and secret_access_key (texts), or null",
  read(answer) {
    if (answer === null || answer === undefined) return null;
    if (!isHash(answer)) return undefined;
    const found = textsOf(answer, [
      "bucket",
      "key",
      "endpoint",
      "region",
      "access_key_id",
      "secret_access_key",
    ]);
    if (found === undefined) return undefined;
    const { bucket, key, endpoint, region, access_key_id, secret_access_key } = found;
    if (bucket === undefined || key === undefined) return undefined;
    if (endpoint !== undefined && !isWebAddress(endpoint)) return undefined;
    if (isHalf(access_key_id, secret_access_key)) return undefined;
    return {
      bucket,
      key,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(region === undefined ? {} : { region }),
      ...(access_key_id === undefined ? {} : { accessKeyId: access_key_id }),
      ...(secret_access_key === undefined ? {} : { secretAccessKey: secret_access_key }),
    };
  },
};

type LookupHash = Readonly<Record<string, unknown>>;

const isHalf = (one: unknown, other: unknown): boolean =>
  (one === undefined) !== (other === undefined);

/**
 * The texts under some keys, as far as present; undefined where one is not a text, empty, or has
 * control characters.
 */
const textsOf = <const K extends string>(
  hash: LookupHash,
  keys: readonly K[],
): { readonly [P in K]?: string } | undefined => {
  const found: { [P in K]?: string } = {};
  for (const key of keys) {
    const value = hash[key];
    if (value === null || value === undefined) continue;
    if (typeof value !== "string" || value === "" || hasControls(value)) return undefined;
    found[key] = value;
  }
  return found;
};

import { loggable } from "../clients/loggable-error.ts";
import { openS3Client, type S3Service } from "../clients/s3-client.ts";
import { hasS3Objects } from "../clients/s3-part.ts";
import { defineKeys, type Settings } from "../config/keys.ts";
import { fail } from "../core/errors.ts";
import { silent } from "../core/log.ts";
import { loggedInSum } from "../core/log-summary.ts";
import { defineSource } from "./kind.ts";
import { whyNotOpen } from "./lazy.ts";
import { ownRemote } from "./own-remote.ts";
import { isObjectName } from "./remote/object-names.ts";
import { remoteSource } from "./remote/source.ts";
import { createS3Clients, type S3Clients } from "./s3-clients.ts";
import { s3Meaning } from "./s3-failures.ts";
import { scriptLookup } from "./s3-script.ts";
import { type S3Lookup, type S3Naming, s3Store } from "./s3-store.ts";
import { isScripted, lookupStrategies } from "./script.ts";

const s3SourceKeys = defineKeys({
  "S3Source.endpoint": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The http or https address of a service that is not Amazon's; blank for Amazon S3.",
    restart: true,
  },
  "S3Source.region": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The region of the bucket. Blank uses AWS_REGION or the profile; with an endpoint, us-east-1.",
    restart: true,
  },
  "S3Source.access_key_id": {
    type: "string",
    default: "",
    fileOnly: "credential",
    doc: "The access key id. Where this and S3Source.secret_key are blank, the AWS credential chain is used: environment, shared files, SSO, web identity, and the role of the container or machine.",
    restart: true,
  },
  "S3Source.secret_key": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "The secret key that belongs to S3Source.access_key_id.",
    restart: true,
  },
  "S3Source.addressing": {
    type: "choice",
    choices: ["auto", "path", "host"],
    default: "auto",
    fileOnly: "service",
    doc: "Where the bucket's name goes in requests: `path` (https://host/bucket/key), `host` (https://bucket.host/key), or `auto`: `path` with an endpoint, `host` without.",
    restart: true,
  },
  "S3Source.lookup_strategy": {
    type: "choice",
    choices: lookupStrategies,
    default: "BasicLookupStrategy",
    fileOnly: "program",
    doc: "How an identifier becomes a key: `BasicLookupStrategy` puts it between prefix and suffix; `ScriptLookupStrategy` calls `s3source_object_info` of the delegate.",
    restart: true,
  },
  "S3Source.BasicLookupStrategy.bucket.name": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "The bucket of the images.",
  },
  "S3Source.BasicLookupStrategy.path_prefix": {
    type: "string",
    default: "",
    fileOnly: "path",
    doc: "Prepended to every identifier, literally: a folder needs its slash at the end.",
  },
  "S3Source.BasicLookupStrategy.path_suffix": {
    type: "string",
    default: "",
    fileOnly: "path",
    doc: "Appended to every identifier.",
  },
});

type S3SourceSettings = Settings<typeof s3SourceKeys>;

const bucketKey = "S3Source.BasicLookupStrategy.bucket.name";
const strategyKey = "S3Source.lookup_strategy";
const prefixKey = "S3Source.BasicLookupStrategy.path_prefix";
const suffixKey = "S3Source.BasicLookupStrategy.path_suffix";

/** Minimum milliseconds between two log messages about refused objects. */
const toldMs = 60_000;

/** Images in a bucket of Amazon S3, or of a compatible service. */
export const s3Source = defineSource({
  keys: s3SourceKeys,
  async unusable(settings) {
    const scripted = isScripted(settings[strategyKey]);
    if (!scripted && settings[bucketKey] === "")
      return `${bucketKey} is blank: set it to the bucket of the images.`;
    return whyNotOpen(
      () => openS3Client(scripted ? anywhere(settings) : serviceIn(settings), { attempts: 1 }),
      ({ client }) => client.destroy(),
    );
  },
  create(settings, log = silent, remote = ownRemote(log)) {
    const clients = createS3Clients(() => ({
      connections: remote.settings()["source.requests.max_per_origin"],
      connectMs: remote.settings()["source.connect_timeout"] * 1_000,
    }));
    const scripted = isScripted(settings()[strategyKey]);
    const tellDenied = loggedInSum<"refused">(
      ({ refused }) =>
        log.warn(
          "S3 refused to let objects be read. Without the permission s3:ListBucket it answers so for objects that do not exist, too.",
          { refused, ...(scripted ? {} : { bucket: settings()[bucketKey] }) },
        ),
      toldMs,
    );
    const store = s3Store({
      lookup: scripted ? scriptLookup : basicLookup(settings),
      service: () => serviceIn(settings()),
      clients,
      ...(scripted ? {} : { naming: () => namingIn(settings()) }),
      onDenied: () => tellDenied("refused"),
    });
    const source = remoteSource(store, remote);
    return scripted ? source : { ...source, reach: (signal) => reach(settings(), clients, signal) };
  },
});

const serviceIn = (settings: S3SourceSettings): S3Service => {
  const addressing = settings["S3Source.addressing"];
  return {
    endpoint: settings["S3Source.endpoint"],
    region: settings["S3Source.region"],
    accessKeyId: settings["S3Source.access_key_id"],
    secretKey: settings["S3Source.secret_key"],
    ...(addressing === "auto" ? {} : { addressing }),
    purpose: "S3Source",
  };
};

/** The service settings that a delegate requires to name the region. */
const anywhere = (settings: S3SourceSettings): S3Service => {
  const service = serviceIn(settings);
  return { ...service, region: service.region === "" ? "us-east-1" : service.region };
};

const basicLookup =
  (settings: () => S3SourceSettings): S3Lookup =>
  async (identifier) => {
    const current = settings();
    const key = `${current[prefixKey]}${identifier}${current[suffixKey]}`;
    return isObjectName(key) ? { bucket: current[bucketKey], key } : undefined;
  };

const namingIn = (settings: S3SourceSettings): S3Naming => ({
  bucket: settings[bucketKey],
  prefix: settings[prefixKey],
  suffix: settings[suffixKey],
});

/** Looks for a first object. A client that may not list a bucket may still read its objects. */
const reach = async (
  settings: S3SourceSettings,
  clients: S3Clients,
  signal: AbortSignal,
): Promise<"there" | "empty"> => {
  const bucket = settings[bucketKey];
  const { client } = await clients.of(serviceIn(settings));
  try {
    const place = { bucket, prefix: settings[prefixKey] };
    return (await hasS3Objects(client, place, signal)) ? "there" : "empty";
  } catch (error) {
    signal.throwIfAborted();
    if (s3Meaning(error) === "denied") return "there";
    const cause = loggable(error);
    return fail(
      "upstream",
      `The bucket '${bucket}' cannot be reached: ${cause.name}: ${cause.message}`,
      cause,
    );
  }
};

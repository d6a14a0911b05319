import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { s3 as s3Cache } from "../caches/s3.ts";
import { openS3 } from "../clients/s3.ts";
import type { Config } from "../config/store.ts";
import { found } from "../conversion/atomic-file.ts";
import { foldsCase, openFolderTarget, temporaryFolder } from "../export/folder-target.ts";
import type { NameRules } from "../export/names.ts";
import { openObjectTarget } from "../export/object-target.ts";
import { type ExportTarget, explained } from "../export/target.ts";
import { s3Source } from "../sources/s3.ts";
import { type Terminal, UsageError } from "./command.ts";

/** An open target of an export. */
export interface OpenedTarget {
  readonly target: ExportTarget;
  readonly rules: NameRules;
  /** For temporary files. */
  readonly folder: string;
}

const usualCacheControl = "public, max-age=86400";

/** Opens a folder or `s3://bucket/prefix`; throws `UsageError` where it is neither. */
export const openTarget = async (
  out: string,
  {
    config,
    temp,
    cacheControl,
    terminal: { err, signal },
  }: {
    readonly config: Config;
    readonly temp?: string | undefined;
    readonly cacheControl?: string | undefined;
    readonly terminal: Terminal;
  },
): Promise<OpenedTarget> => {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(out))
    return openBucket(out, config, { temp, cacheControl: cacheControl ?? usualCacheControl });
  if (cacheControl !== undefined)
    throw new UsageError(
      "export: --cache-control needs s3://bucket/prefix as OUT; for a folder, configure the web server",
    );
  const there = await found(out);
  if (there !== undefined && !there.isDirectory())
    throw new UsageError(`export: expected OUT to be a folder, but '${out}' is a file`);
  const onWait = (): void => err("Waiting for another export to this folder to end.\n");
  const target = await openFolderTarget(resolve(out), { onWait, signal });
  return {
    target: explained(target),
    rules: { windows: process.platform === "win32", foldsCase: await foldsCase(resolve(out)) },
    folder: temp ?? join(resolve(out), temporaryFolder),
  };
};

const openBucket = async (
  out: string,
  config: Config,
  { temp, cacheControl }: { readonly temp?: string | undefined; readonly cacheControl: string },
): Promise<OpenedTarget> => {
  const [, bucket = "", path = ""] = /^s3:\/\/([^/]+)\/?(.*)$/i.exec(out) ?? [];
  if (bucket === "")
    throw new UsageError(`export: expected OUT to be a folder or s3://bucket/prefix; got '${out}'`);
  const bare = path.replace(/^\/+|\/+$/g, "");
  const objects = await openS3({ ...serviceOf(config), bucket, purpose: "export" });
  const options = { place: out, prefix: bare === "" ? "" : `${bare}/`, cacheControl };
  return {
    target: explained(openObjectTarget(objects, options)),
    rules: { windows: false, foldsCase: false },
    folder: temp ?? tmpdir(),
  };
};

/** The service of S3Cache where it is configured, else of S3Source; without either, Amazon's. */
const serviceOf = (config: Config) => {
  const cache = config.view(s3Cache.keys)();
  const source = config.view(s3Source.keys)();
  const byCache = {
    endpoint: cache["S3Cache.endpoint"],
    region: cache["S3Cache.region"],
    accessKeyId: cache["S3Cache.access_key_id"],
    secretKey: cache["S3Cache.secret_key"],
  };
  const bySource = {
    endpoint: source["S3Source.endpoint"],
    region: source["S3Source.region"],
    accessKeyId: source["S3Source.access_key_id"],
    secretKey: source["S3Source.secret_key"],
  };
  return (
    [byCache, bySource].find(({ endpoint, accessKeyId }) => endpoint || accessKeyId) ?? bySource
  );
};

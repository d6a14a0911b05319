import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Objects } from "../../src/clients/objects.ts";
import { openS3 } from "../../src/clients/s3.ts";
import { type Database, findProgram, startDatabase } from "./database.ts";
import { listens, runnable } from "./listens.ts";

/**
 * A service that speaks S3, with a bucket, and the settings by which a cache or a source finds it.
 */
export interface S3Server extends Database {
  readonly settings: Readonly<Record<`S3Cache.${string}`, string>>;
  readonly sourceSettings: Readonly<Record<`S3Source.${string}`, string>>;
  readonly pyramidSettings: Readonly<Record<`pyramids.${string}`, string>>;
  /** Its one bucket. */
  open(): Promise<Objects>;
}

const bucket = "pictures";
const access = "vitrine";
const secret = "not-so-secret";

/** Versity's gateway to a folder, where it is installed. */
export const s3Program = (): Promise<string | undefined> =>
  runnable([
    process.env["VITRINE_VERSITYGW"],
    join(homedir(), ".cache/vitrine-ci/bin/versitygw"),
    findProgram("versitygw"),
  ]);

/** Why it cannot be tested with. */
export const s3Missing =
  "no versitygw in VITRINE_VERSITYGW, in ~/.cache/vitrine-ci/bin or in the path";

/** Starts the gateway on a free port, with an empty bucket. */
export const startS3 = async (command: string): Promise<S3Server> => {
  const server = await startDatabase({
    name: "s3",
    command,
    args: ({ folder, port }) => [
      ...["--port", `127.0.0.1:${port}`, "--region", "us-east-1", "--keep-alive", "--quiet"],
      ...["--access", access, "--secret", secret, "posix", join(folder, "buckets")],
    ],
    prepare: async ({ folder }) => {
      await mkdir(join(folder, "buckets", bucket), { recursive: true });
    },
    answers: ({ port }) => listens(port),
  });
  const endpoint = `http://127.0.0.1:${server.port}`;
  return {
    ...server,
    open: () =>
      openS3({ endpoint, region: "", accessKeyId: access, secretKey: secret, bucket, purpose: "" }),
    sourceSettings: {
      "S3Source.endpoint": endpoint,
      "S3Source.access_key_id": access,
      "S3Source.secret_key": secret,
      "S3Source.BasicLookupStrategy.bucket.name": bucket,
    },
    pyramidSettings: {
      "pyramids.store": "S3",
      "pyramids.S3.endpoint": endpoint,
      "pyramids.S3.access_key_id": access,
      "pyramids.S3.secret_key": secret,
      "pyramids.S3.bucket.name": bucket,
    },
    settings: {
      "S3Cache.endpoint": endpoint,
      "S3Cache.access_key_id": access,
      "S3Cache.secret_key": secret,
      "S3Cache.bucket.name": bucket,
    },
  };
};

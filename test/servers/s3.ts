import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Database, findProgram, startDatabase } from "./database.ts";
import { listens, runnable } from "./listens.ts";

/** A service that speaks S3, with a bucket, and the settings by which a cache finds it. */
export interface S3Server extends Database {
  readonly settings: Readonly<Record<`S3Cache.${string}`, string>>;
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

/** Why there is none to test with. */
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
  return {
    ...server,
    settings: {
      "S3Cache.endpoint": `http://127.0.0.1:${server.port}`,
      "S3Cache.access_key_id": access,
      "S3Cache.secret_key": secret,
      "S3Cache.bucket.name": bucket,
    },
  };
};

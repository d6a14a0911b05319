import { join } from "node:path";
import { Redis } from "ioredis";
import { type Database, findProgram, type Run, startDatabase } from "./database.ts";

const command = findProgram("redis-server");
const openssl = findProgram("openssl");

/** The password of every Redis that tests start. */
export const redisPassword = "secret of redis";

/** Why there is no Redis for tests; undefined where there is one. */
export const noRedis =
  command === undefined ? "redis-server is not installed: apt-get install redis-server" : undefined;

/** Why there is no encrypted Redis for tests; undefined where there is one. */
export const noEncryptedRedis =
  noRedis ?? (openssl === undefined ? "openssl is not installed" : undefined);

/**
 * Starts a Redis with a password; an encrypted one has its certificate in `ca.pem` of its folder.
 */
export const startRedis = ({ encrypted = false } = {}): Promise<Database> =>
  startDatabase({
    name: "redis",
    command: command ?? "redis-server",
    args: ({ folder, port }) => [
      ...["--bind", "127.0.0.1", "--dir", folder, "--requirepass", redisPassword, "--save", ""],
      ...(encrypted
        ? ["--port", "0", "--tls-port", `${port}`, "--tls-auth-clients", "no"].concat(
            "--tls-cert-file",
            join(folder, "ca.pem"),
            "--tls-key-file",
            join(folder, "key.pem"),
          )
        : ["--port", `${port}`]),
    ],
    prepare: async ({ folder }, run) => {
      if (encrypted) await certify(folder, run);
    },
    answers: async ({ port }) => {
      const client = new Redis({
        port,
        password: redisPassword,
        lazyConnect: true,
        retryStrategy: null,
        ...(encrypted ? { tls: { rejectUnauthorized: false } } : {}),
      });
      // A failed attempt emits an event, too.
      client.on("error", () => {});
      try {
        await client.connect();
        return (await client.ping()) === "PONG";
      } catch {
        return false;
      } finally {
        client.disconnect();
      }
    },
  });

const certify = (folder: string, run: Run): Promise<void> =>
  run(openssl ?? "openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
    ...["-keyout", join(folder, "key.pem"), "-out", join(folder, "ca.pem")],
  ]);

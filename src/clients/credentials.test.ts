import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { findProgram } from "../../test/servers/database.ts";
import { openAzureClient } from "./azure-client.ts";
import { fetchAzurePart } from "./azure-part.ts";
import { openS3Client } from "./s3-client.ts";
import { fetchS3Part } from "./s3-part.ts";

const signal = new AbortController().signal;
let folder: string;
/** A server that responds as the services that issue credentials, and as an object store. */
let server: Server;
let base: string;
/** The credentials of requests for objects. */
const presented: string[] = [];

const inAnHour = new Date(Date.now() + 3_600_000);
const keys = (AccessKeyId: string) => ({
  Code: "Success",
  Type: "AWS-HMAC",
  AccessKeyId,
  SecretAccessKey: "secret",
  Token: "token",
  Expiration: inAnHour.toISOString(),
});
const assumed = `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>FROMWEB</AccessKeyId>
<SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>
<Expiration>${inAnHour.toISOString()}</Expiration></Credentials></AssumeRoleWithWebIdentityResult>
</AssumeRoleWithWebIdentityResponse>`;

const answers: readonly (readonly [RegExp, string | object])[] = [
  [/^GET \/container/, keys("FROMCONTAINER")],
  [/^PUT \/latest\/api\/token/, "token"],
  [/security-credentials\/$/, "reader"],
  [/security-credentials\/reader/, keys("FROMMACHINE")],
  [/^POST \/sts/, assumed],
  [
    /\/federation\/credentials/,
    {
      roleCredentials: {
        accessKeyId: "FROMSSO",
        secretAccessKey: "secret",
        sessionToken: "token",
        expiration: inAnHour.getTime(),
      },
    },
  ],
  [/^GET \/msi\/token/, { access_token: "machine", expires_on: inAnHour.getTime() / 1_000 }],
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-credentials-"));
  server = createServer(({ method, url, headers }, response) => {
    const answer = answers.find(([pattern]) => pattern.test(`${method} ${url}`))?.[1];
    if (answer === undefined)
      presented.push(/Credential=(\w+)/.exec(headers.authorization ?? "")?.[1] ?? "none");
    response.end(typeof answer === "object" ? JSON.stringify(answer) : (answer ?? "object"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** An environment without any credentials, and with these variables. */
const within = (variables: Readonly<Record<string, string>>): void => {
  for (const name of [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_EC2_METADATA_DISABLED",
  ])
    vi.stubEnv(name, undefined);
  vi.stubEnv("AWS_CONFIG_FILE", join(folder, "no-config"));
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "no-credentials"));
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
};

/** The access key id of a request for an object. */
const s3Asks = async (given = { accessKeyId: "", secretKey: "" }): Promise<string | undefined> => {
  const service = { endpoint: base, region: "us-east-1", ...given, purpose: "S3Source" };
  const opened = await openS3Client(service, { attempts: 1 });
  const { body } = await fetchS3Part(opened, { bucket: "b", key: "k" }, { signal });
  body.destroy();
  opened.client.destroy();
  return presented.pop();
};

const file = async (name: string, text: string): Promise<string> => {
  await mkdir(join(folder, name, ".."), { recursive: true });
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

describe("credentials for S3", () => {
  const fromEnvironment = { AWS_ACCESS_KEY_ID: "FROMENV", AWS_SECRET_ACCESS_KEY: "secret" };

  it("come from the environment unless the configuration has any", async () => {
    within(fromEnvironment);
    expect(await s3Asks()).toBe("FROMENV");
    expect(await s3Asks({ accessKeyId: "FROMCONFIG", secretKey: "s" })).toBe("FROMCONFIG");
  });

  it("come from a profile in the shared files", async () => {
    const profile = "[museum]\naws_access_key_id = FROMFILE\naws_secret_access_key = secret\n";
    within({
      AWS_SHARED_CREDENTIALS_FILE: await file("credentials", profile),
      AWS_PROFILE: "museum",
    });
    expect(await s3Asks()).toBe("FROMFILE");
  });

  it("come from an SSO login", async () => {
    const start = "https://museum.example.org/start";
    const token = { accessToken: "token", expiresAt: inAnHour.toISOString(), startUrl: start };
    const name = createHash("sha1").update(start).digest("hex");
    await file(`.aws/sso/cache/${name}.json`, JSON.stringify(token));
    within({
      HOME: folder,
      AWS_PROFILE: "sso",
      AWS_ENDPOINT_URL_SSO: base,
      AWS_CONFIG_FILE: await file(
        "config",
        `[profile sso]\nsso_start_url = ${start}\nsso_region = us-east-1\nsso_account_id = 1\nsso_role_name = reader\n`,
      ),
    });
    expect(await s3Asks()).toBe("FROMSSO");
  });

  it("come from a web identity", async () => {
    within({
      AWS_WEB_IDENTITY_TOKEN_FILE: await file("token", "a.b.c"),
      AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/reader",
      AWS_ENDPOINT_URL_STS: `${base}/sts`,
      AWS_REGION: "us-east-1",
    });
    expect(await s3Asks()).toBe("FROMWEB");
  });

  it("come from the container's role", async () => {
    within({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${base}/container` });
    expect(await s3Asks()).toBe("FROMCONTAINER");
  });

  it("come from the machine's role", async () => {
    within({ AWS_EC2_METADATA_SERVICE_ENDPOINT: base });
    expect(await s3Asks()).toBe("FROMMACHINE");
  });
});

const openssl = findProgram("openssl");

describe.skipIf(openssl === undefined)(
  `credentials for Azure${openssl ? "" : " (openssl is not installed)"}`,
  () => {
    it("come from the managed identity where there is neither key nor signature", async () => {
      const run = promisify(execFile);
      await run(openssl ?? "openssl", [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
        ...["-nodes", "-days", "2", "-subj", "/CN=localhost"],
        ...["-keyout", join(folder, "key.pem"), "-out", join(folder, "ca.pem")],
      ]);
      const [key, cert] = await Promise.all(
        ["key.pem", "ca.pem"].map((name) => readFile(join(folder, name))),
      );
      const authorized: (string | undefined)[] = [];
      // Tokens are only sent over encrypted connections.
      const blobs = createTlsServer({ key, cert }, ({ headers }, response) => {
        authorized.push(headers.authorization);
        response.writeHead(200, { "content-length": 4, etag: '"a"' }).end("blob");
      }).listen(0, "127.0.0.1");
      await once(blobs, "listening");
      const address = blobs.address();
      vi.stubEnv("IDENTITY_ENDPOINT", `${base}/msi/token`);
      vi.stubEnv("IDENTITY_HEADER", "secret");
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
      const client = await openAzureClient(
        {
          accountName: "museum",
          accountKey: "",
          endpoint: `https://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
          purpose: "AzureStorageSource",
        },
        { attempts: 1 },
      );
      const blob = new client.sdk.BlobClient(`${client.endpoint}/c/b`, client.pipeline);
      const { body, size } = await fetchAzurePart(blob, { signal });
      body.destroy();
      expect(size).toBe(4);
      expect(authorized).toEqual(["Bearer machine"]);
      client.close();
      blobs.close();
      blobs.closeAllConnections();
    });
  },
);

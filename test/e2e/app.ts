import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { type AppDecorators, createApp } from "../../src/app/app.ts";
import { Config } from "../../src/config/store.ts";
import { silent } from "../../src/core/log.ts";
import type { Logs } from "../../src/logging/logs.ts";

/** The whole server, on a port of its own and a folder of its own. */
export interface TestServer {
  /** Scheme, host and port. */
  readonly base: string;
  /** Where its images are. */
  readonly folder: string;
  readonly config: Config;
  /** Sends a path exactly as written, and waits for the whole response. */
  ask(path: string, how?: How): Promise<Answer>;
  /** Stops it and removes its folder. */
  close(): Promise<void>;
}

export interface How {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Starts the server on the content that `draw` puts into an empty folder, or into its subfolder
 * `pictures`. The one place where tests start the app.
 */
export const startServer = async (
  draw: (folder: string) => Promise<void>,
  values: Readonly<Record<string, unknown>> = {},
  {
    pictures = ".",
    around,
    access,
  }: {
    readonly pictures?: string;
    readonly around?: AppDecorators;
    readonly access?: Logs["access"];
  } = {},
): Promise<TestServer> => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-e2e-"));
  try {
    await draw(folder);
    const config = new Config({
      "http.host": "127.0.0.1",
      "http.port": 0,
      "source.static": "FilesystemSource",
      "FilesystemSource.BasicLookupStrategy.path_prefix": join(folder, pictures) + sep,
      "pyramids.folder": `${folder}${pyramidsSuffix}`,
      ...values,
    });
    const app = await createApp({
      config,
      logs: { ...silentLogs, ...(access ? { access } : {}) },
      ...(around ? { around } : {}),
    });
    const [address = ""] = await app.listen();
    const base = new URL(address).origin;
    return {
      base,
      folder,
      config,
      ask: (path, how) => ask(base, path, how),
      close: async () => {
        await app.close();
        await removeAll(folder);
      },
    };
  } catch (error) {
    await removeAll(folder);
    throw error;
  }
};

/** Each server has its own pyramids, beside its images: purges count all that are in the folder. */
export const pyramidsSuffix = "-pyramids";

/** Removes a server's folder, and that of its pyramids. */
export const removeAll = async (folder: string): Promise<void> => {
  for (const path of [folder, `${folder}${pyramidsSuffix}`])
    await rm(path, { recursive: true, force: true });
};

const silentLogs: Logs = { application: silent, access: () => {}, close: async () => {} };

/** Every test's requests end sooner than the test would. */
const patience = 25_000;

// Over a socket, and by node:http: light-my-request and fetch both normalise paths (dots,
// backslashes).
const ask = (base: string, path: string, how: How = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const asking = request({
      hostname,
      port,
      path,
      agent: false,
      method: how.method ?? "GET",
      headers: how.headers ?? {},
      timeout: patience,
    });
    asking.on("timeout", () =>
      asking.destroy(new Error(`No answer within ${patience} ms: ${path}`)),
    );
    asking.on("error", reject);
    asking.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    asking.end();
  });

/** The properties of responses that tests check one by one. */
export interface Json {
  readonly id?: unknown;
  readonly width?: unknown;
  readonly height?: unknown;
  readonly sizes?: unknown;
  readonly tiles?: unknown;
  readonly maxArea?: unknown;
  readonly profile?: unknown;
}

/** An answer's body as JSON. */
export const json = (answer: Answer): Json => {
  const value: unknown = JSON.parse(answer.body.toString("utf8"));
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`Expected a JSON object, got ${answer.body.toString("utf8").slice(0, 200)}`);
  return Object.fromEntries(Object.entries(value));
};

import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { type App, type AppDecorators, createApp } from "../../src/app/app.ts";
import { keyGroups } from "../../src/app/keys.ts";
import { type ConfigFile, loadConfig } from "../../src/config/file.ts";
import { silent } from "../../src/core/log.ts";
import type { HttpServer } from "../../src/http/connection/http-server.ts";
import type { Logs } from "../../src/logging/logs.ts";
import { pyramidsSuffix, removeAll } from "./app.ts";
import { drawPictures } from "./pictures.ts";

/**
 * The whole server in this process, without a socket, with a configuration file that it may change.
 */
export interface Administered {
  readonly app: App;
  readonly file: ConfigFile;
  readonly folder: string;
  /** Of the configuration. */
  readonly path: string;
  ask(method: Method, path: string, how?: Asking): Promise<Told>;
  /** The content of the configuration file. */
  text(): Promise<string>;
  close(): Promise<void>;
}

export type Method = "GET" | "HEAD" | "PUT" | "POST" | "DELETE" | "PATCH" | "OPTIONS";

export interface Asking {
  /** The request body; anything but a text is sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** `name:password`; valid ones by default, null for none. */
  readonly login?: string | null;
}

export interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly bytes: Buffer;
  /** The body as JSON, whatever it is. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect, and fail where it is not there
  json(): any;
}

export const username = "keeper";
export const secret = "open:sesame";

/** Starts a server whose configuration file has these lines; the API is on. */
export const startAdministered = async (
  lines: readonly string[] = [],
  { panel, around }: { readonly panel?: URL; readonly around?: AppDecorators } = {},
): Promise<Administered> => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-administered-"));
  await drawPictures(folder);
  const path = join(folder, "vitrine.properties");
  const all = [
    "# The API",
    "endpoint.api.enabled = true",
    `endpoint.api.username = ${username}`,
    `endpoint.api.secret = ${secret}`,
    "",
    "! Where pictures are",
    `FilesystemSource.BasicLookupStrategy.path_prefix = ${folder}${sep}`,
    ...(lines.some((line) => line.startsWith("pyramids.folder"))
      ? []
      : [`pyramids.folder = ${folder}${pyramidsSuffix}`]),
    ...lines,
  ];
  await writeFile(path, `${all.join("\n")}\n`);
  const file = await loadConfig({ groups: keyGroups, env: {}, path, settleMs: 20 });
  const app = await createApp({
    config: file.config,
    file,
    logs: silentLogs,
    ...(panel ? { panel } : {}),
    ...(around ? { around } : {}),
  });
  const server = app.listeners[0]?.server as HttpServer;
  return {
    app,
    file,
    folder,
    path,
    ask: async (method, url, { body, headers = {}, login = `${username}:${secret}` } = {}) => {
      const authorization = login === null ? {} : { authorization: basic(login) };
      const response = await server.inject({
        method,
        url,
        headers: {
          host: "images.example.org",
          ...authorization,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      return {
        status: response.statusCode,
        headers: response.headers,
        text: response.body,
        bytes: response.rawPayload,
        json: () => JSON.parse(response.body),
      };
    },
    text: () => readFile(path, "utf8"),
    close: async () => {
      await app.close();
      await file.close();
      await removeAll(folder);
    },
  };
};

const basic = (login: string): string => `Basic ${Buffer.from(login).toString("base64")}`;

const silentLogs: Logs = { application: silent, access: () => {}, close: async () => {} };

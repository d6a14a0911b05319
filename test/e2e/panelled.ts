import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import {
  type Administered,
  type Asking,
  type Method,
  startAdministered,
  type Told,
} from "./administered.ts";

export const admin = { username: "admin", secret: "pass:wörd" } as const;
export const basic = `${admin.username}:${admin.secret}`;

/** Requests from this server's own pages, as browsers mark them. */
export const own = { "sec-fetch-site": "same-origin" } as const;

export const script = "console.log('panel');\n".repeat(20);

/** A server with a control panel of few files, and a browser that keeps its cookie. */
export interface Panelled extends Administered {
  /** Below `/admin/api/`, as the page requests it: with cookie and token, and a body in JSON. */
  call(method: Method, path: string, how?: Asking): Promise<Told>;
  /** Logs in as the page does it. */
  enter(how?: Asking): Promise<Told>;
  /** Token of the session; empty while nobody is logged in. */
  readonly keys: Keys;
}

/** What the browser holds. */
export interface Keys {
  readonly cookie: string;
  readonly token: string;
}

/** Starts a server whose control panel is on. */
export const startPanelled = async (lines: readonly string[] = []): Promise<Panelled> => {
  const built = await mkdtemp(join(tmpdir(), "vitrine-panel-"));
  await buildFalsePanel(built);
  const server = await startAdministered(
    [
      "endpoint.admin.enabled = true",
      `endpoint.admin.username = ${admin.username}`,
      `endpoint.admin.secret = ${admin.secret}`,
    ]
      .filter((line) => !lines.some((other) => keyOf(other) === keyOf(line)))
      .concat(lines),
    { panel: pathToFileURL(built + sep) },
  );
  let keys: Keys = { cookie: "", token: "" };
  const call: Panelled["call"] = (method, path, { headers = {}, ...how } = {}) =>
    server.ask(method, `/admin/api/${path}`, {
      login: null,
      ...how,
      headers: {
        ...own,
        ...(how.body === undefined ? {} : { "content-type": "application/json" }),
        ...(keys.cookie === "" ? {} : { cookie: keys.cookie }),
        ...(keys.token === "" ? {} : { "x-vitrine-token": keys.token }),
        ...headers,
      },
    });
  return {
    ...server,
    call,
    async enter(how = {}) {
      const told = await call("POST", "session", { body: admin, ...how });
      const [cookie = ""] = String(told.headers["set-cookie"] ?? "").split(";");
      if (told.status === 200) keys = { cookie, token: told.json().token };
      return told;
    },
    get keys() {
      return keys;
    },
    async close() {
      await server.close();
      await rm(built, { recursive: true, force: true });
    },
  };
};

const keyOf = (line: string): string => line.split(" ")[0] ?? "";

/** The panel's files as the build leaves them. */
export const buildFalsePanel = async (folder: string): Promise<void> => {
  const assets = join(folder, "assets");
  await mkdir(assets);
  const page =
    '<!doctype html>\n<html lang="en">\n<head>\n<base href="/admin/">\n<script type="module" src="./assets/index-1a2b.js"></script>\n</head></html>\n';
  await writeFile(join(folder, "index.html"), page);
  await writeFile(join(folder, "licences.md"), "Others' licences");
  await writeFile(join(assets, "index-1a2b.js"), script);
  await writeFile(join(assets, "index-1a2b.js.br"), brotliCompressSync(script));
  await writeFile(join(assets, "index-1a2b.js.gz"), gzipSync(script));
  await writeFile(join(assets, "icon-3c4d.svg"), "<svg/>");
  await writeFile(join(assets, "notes.txt"), "not served");
};

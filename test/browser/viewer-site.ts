import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { extname, join, resolve, sep } from "node:path";

/** A web site with one viewer, on a port of its own. */
export interface ViewerSite {
  /** No slash at the end. */
  readonly base: string;
  stop(): Promise<void>;
}

/** The folder `dist` of an unpacked viewer (from `npm pack`), if any. */
export const findViewer = (name: string, version: string): string | undefined => {
  const folder = join(homedir(), ".cache/vitrine-ci", name, version, "package/dist");
  return existsSync(folder) ? folder : undefined;
};

/** Serves the files of a folder, and `page` at `/`. */
export const startViewerSite = async (folder: string, page: string): Promise<ViewerSite> => {
  const site = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = resolve(join(folder, decodeURIComponent(pathname)));
    const body =
      pathname === "/"
        ? Promise.resolve(page)
        : file.startsWith(folder + sep)
          ? readFile(file)
          : Promise.reject(new Error("outside"));
    const type = types.get(extname(pathname)) ?? "text/html; charset=utf-8";
    body.then(
      (found) => response.writeHead(200, { "content-type": type }).end(found),
      () => response.writeHead(404).end(),
    );
  });
  await once(site.listen(0, "127.0.0.1"), "listening");
  return {
    base: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
    async stop() {
      site.closeAllConnections();
      site.close();
    },
  };
};

const types: ReadonlyMap<string, string> = new Map([
  [".js", "text/javascript"],
  [".css", "text/css"],
  [".json", "application/json"],
  [".svg", "image/svg+xml"],
]);

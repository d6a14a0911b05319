// Prints which files of src/ run while the built server answers a request for a stored tile, and
// which of these each of them imports: node scripts/tile-path.mjs [--functions]
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";

const dist = join(import.meta.dirname, "../dist");
const { Config, createApp, createLogs } = await import(join(dist, "index.js"));

const folder = mkdtempSync(join(tmpdir(), "vitrine-tile-path-"));
await sharp({ create: { width: 2048, height: 2048, channels: 3, background: "#369" } })
  .tiff({ tile: true, tileWidth: 256, tileHeight: 256, pyramid: true, compression: "jpeg" })
  .toFile(join(folder, "pyramid.tif"));

const config = new Config({
  "FilesystemSource.BasicLookupStrategy.path_prefix": `${folder}/`,
  "cache.server.derivative.enabled": false,
  "http.host": "127.0.0.1",
  "http.port": 0,
  "log.application.console.enabled": false,
});
const app = await createApp({ config, logs: createLogs(config) });
const [address] = await app.listen();
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

/** Requests a tile in the second row; resolves with the way that answered. */
const request = (column) =>
  new Promise((resolve, reject) => {
    const path = `/iiif/3/pyramid.tif/${column * 256},256,256,256/256,256/0/default.jpg`;
    http
      .get(new URL(path, address), { agent }, (response) => {
        response.resume();
        response.on("end", () =>
          response.statusCode === 200
            ? resolve()
            : reject(new Error(`Expected 200 for ${path}, got ${response.statusCode}.`)),
        );
      })
      .on("error", reject);
  });

const session = new Session();
session.connect();
await session.post("Profiler.enable");
// The first ones read the file's structure; the measured one is like all that follow.
for (const column of [0, 1, 2, 3]) await request(column);
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await request(4);
await session.post("Profiler.takePreciseCoverage");
await request(5);
const { result } = await session.post("Profiler.takePreciseCoverage");

const source = (path) => path.replace(/\.js$/, ".ts");

/** Files of ours that ran, each with the functions that did. */
const ran = new Map(
  result
    .filter(({ url }) => url.startsWith("file:") && !url.includes("node_modules"))
    .map(({ url, functions }) => [
      relative(dist, fileURLToPath(url)),
      functions.filter(({ ranges }) => ranges[0].count > 0).map(({ functionName: name }) => name),
    ])
    .filter(([path, functions]) => !path.startsWith("..") && functions.length > 0),
);

const importsOf = (path) =>
  [...readFileSync(join(dist, path), "utf8").matchAll(/\bfrom "(\.[^"]+)"/g)]
    .map(([, to]) => join(dirname(path), to))
    .filter((to) => ran.has(to))
    .map(source);

const files = [...ran].sort().map(([path, functions]) => ({
  path: source(path),
  imports: importsOf(path),
  ...(process.argv.includes("--functions") ? { functions } : {}),
}));
console.log(JSON.stringify(files, undefined, 1));
await app.close();
rmSync(folder, { recursive: true });
process.exit(0);

// Serves the stored JPEG tiles of tiled pyramids with node:http alone: it checks that the file is
// unchanged, reads the tile and sends it, without a cache or a log. This is the lower bound of what
// a stored tile can cost in Node.js. Other images than whole tiles get 404.
// Arguments: a folder of little-endian TIFFs with JPEG tiles, one page per level; the port; the
// number of processes.
import cluster from "node:cluster";
import { fstatSync, openSync, readSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const [folder = "", port = "0", processes = "1"] = process.argv.slice(2);

const sizes = { 1: 1, 3: 2, 4: 4, 7: 1, 16: 8 };
const numberAt = (bytes, at, size) =>
  size === 8 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUIntLE(at, size);

const openImage = (file) => {
  const handle = openSync(file, "r");
  const { mtimeMs } = fstatSync(handle);
  const bytesAt = (offset, length) => {
    const bytes = Buffer.allocUnsafe(length);
    readSync(handle, bytes, 0, length, offset);
    return bytes;
  };
  const isBig = bytesAt(2, 2).readUInt16LE(0) === 43;
  const fieldsOf = (directory) => {
    const [countBytes, entryBytes, inlineBytes] = isBig ? [8, 20, 8] : [2, 12, 4];
    const count = numberAt(bytesAt(directory, countBytes), 0, countBytes);
    const entries = bytesAt(directory + countBytes, count * entryBytes + inlineBytes);
    const fields = new Map();
    for (let at = 0; at < count * entryBytes; at += entryBytes) {
      const size = sizes[entries.readUInt16LE(at + 2)];
      if (size === undefined) continue;
      const values = numberAt(entries, at + 4, inlineBytes);
      const own = entries.subarray(at + 4 + inlineBytes);
      const bytes =
        size * values <= inlineBytes
          ? own.subarray(0, size * values)
          : bytesAt(numberAt(own, 0, inlineBytes), size * values);
      const value =
        size === 1
          ? bytes
          : Array.from({ length: values }, (_, n) => numberAt(bytes, n * size, size));
      fields.set(entries.readUInt16LE(at), value);
    }
    return { fields, next: numberAt(entries, count * entryBytes, inlineBytes) };
  };
  const levels = [];
  for (let at = isBig ? numberAt(bytesAt(8, 8), 0, 8) : numberAt(bytesAt(4, 4), 0, 4); at > 0; ) {
    const { fields, next } = fieldsOf(at);
    const [width, height] = [fields.get(256)[0], fields.get(257)[0]];
    const [tileWidth, tileHeight] = [fields.get(322)[0], fields.get(323)[0]];
    const tables = fields.get(347);
    levels.push({
      ...{ width, height, tileWidth, tileHeight },
      factor: Math.round((levels[0]?.width ?? width) / width),
      across: Math.ceil(width / tileWidth),
      // Without its end marker; the tile follows without its start marker.
      tables: tables === undefined ? Buffer.of(0xff, 0xd8) : tables.subarray(0, -2),
      offsets: fields.get(324),
      lengths: fields.get(325),
    });
    at = next;
  }
  return { handle, mtimeMs, levels };
};

const images = new Map();
const imageOf = (name) => {
  const known = images.get(name);
  if (known !== undefined) return known;
  const image = openImage(join(folder, name));
  images.set(name, image);
  return image;
};

const describe = (path, name, response) => {
  const { levels } = imageOf(name);
  const [{ width, height, tileWidth }] = levels;
  const document = {
    "@context": "http://iiif.io/api/image/2/context.json",
    "@id": path,
    protocol: "http://iiif.io/api/image",
    ...{ width, height },
    tiles: [{ width: tileWidth, scaleFactors: levels.map(({ factor }) => factor) }],
    profile: ["http://iiif.io/api/image/2/level0.json"],
  };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
};

const tilePattern = /^\/iiif\/\d\/([^/]+)\/(\d+),(\d+),(\d+),(\d+)\/(\d+),\d*\/0\/default\.jpg$/;
const documentPattern = /^(\/iiif\/\d\/([^/]+))\/info\.json$/;

const answer = (request, response) => {
  const url = request.url ?? "";
  const found = tilePattern.exec(url);
  if (found === null) {
    const [, path, name] = documentPattern.exec(url) ?? [];
    if (name === undefined) return void response.writeHead(404).end();
    return describe(path, name, response);
  }
  const image = imageOf(found[1]);
  const [x, y, width, height, scaled] = [2, 3, 4, 5, 6].map((n) => Number(found[n]));
  const factor = Math.round(width / scaled);
  const level = image.levels.find((one) => one.factor === factor);
  const isWhole =
    level !== undefined &&
    width === level.tileWidth * factor &&
    height === level.tileHeight * factor;
  if (!isWhole) return void response.writeHead(404).end();
  const index =
    Math.floor(y / factor / level.tileHeight) * level.across +
    Math.floor(x / factor / level.tileWidth);
  const length = level.lengths[index];
  if (fstatSync(image.handle).mtimeMs !== image.mtimeMs) return void response.writeHead(500).end();
  const body = Buffer.allocUnsafe(level.tables.length + length - 2);
  level.tables.copy(body);
  readSync(image.handle, body, level.tables.length, length - 2, level.offsets[index] + 2);
  response
    .writeHead(200, { "content-type": "image/jpeg", "content-length": body.length })
    .end(body);
};

if (cluster.isPrimary && Number(processes) > 1) {
  for (let n = 0; n < Number(processes); n++) cluster.fork();
  process.on("SIGTERM", () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.kill();
    process.exit();
  });
} else createServer(answer).listen(Number(port), "127.0.0.1");

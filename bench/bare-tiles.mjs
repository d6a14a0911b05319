// Serves the stored JPEG tiles of a tiled pyramid with node:http alone: it checks that the file is
// unchanged, reads the tile and sends it, without a cache or a log. This is the lower bound of what
// a stored tile can cost in Node.js.
// Arguments: a little-endian TIFF with JPEG tiles, one page per level; the port; the image's path.
import { fstatSync, openSync, readSync } from "node:fs";
import { createServer } from "node:http";

const [file = "", port = "0", prefix = "/"] = process.argv.slice(2);
const handle = openSync(file, "r");
const { mtimeMs } = fstatSync(handle);

const bytesAt = (offset, length) => {
  const bytes = Buffer.allocUnsafe(length);
  readSync(handle, bytes, 0, length, offset);
  return bytes;
};

const isBig = bytesAt(2, 2).readUInt16LE(0) === 43;
const sizes = { 1: 1, 3: 2, 4: 4, 7: 1, 16: 8 };
const numberAt = (bytes, at, size) =>
  size === 8 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUIntLE(at, size);

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
    across: Math.ceil(width / tileWidth),
    // Without its end marker; the tile follows without its start marker.
    tables: tables === undefined ? Buffer.of(0xff, 0xd8) : tables.subarray(0, -2),
    offsets: fields.get(324),
    lengths: fields.get(325),
  });
  at = next;
}

const pattern = /^\/(\d+),(\d+),(\d+),(\d+)\/(\d+),\d+\/0\/default\.jpg$/;

createServer((request, response) => {
  const url = request.url ?? "";
  const found = url.startsWith(prefix) ? pattern.exec(url.slice(prefix.length)) : null;
  const [x, y, width, scaled] = found === null ? [] : [1, 2, 3, 5].map((n) => Number(found[n]));
  const level = levels.find(
    (one) =>
      found !== null && Math.round(levels[0].width / one.width) === Math.round(width / scaled),
  );
  if (level === undefined) return void response.writeHead(404).end();
  const factor = Math.round(levels[0].width / level.width);
  const index =
    Math.floor(y / factor / level.tileHeight) * level.across +
    Math.floor(x / factor / level.tileWidth);
  const length = level.lengths[index];
  if (fstatSync(handle).mtimeMs !== mtimeMs) return void response.writeHead(500).end();
  const body = Buffer.allocUnsafe(level.tables.length + length - 2);
  level.tables.copy(body);
  readSync(handle, body, level.tables.length, length - 2, level.offsets[index] + 2);
  response
    .writeHead(200, { "content-type": "image/jpeg", "content-length": body.length })
    .end(body);
}).listen(Number(port), "127.0.0.1");

// Serves a folder, or the files of a web server below a URL, with the package iiif-processor, as
// its README shows: one stream of the file per request, and cached page sizes.
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Processor } from "iiif-processor";
import sharp from "sharp";

const [port, place] = process.argv.slice(2);
const isRemote = /^https?:/.test(place);

const open = async (id) => {
  if (!isRemote) return createReadStream(join(place, id));
  const response = await fetch(new URL(id, place));
  if (!response.ok) throw new Error(`Expected ${id}, got status ${response.status}`);
  return Readable.fromWeb(response.body);
};

/** sharp's input: the path of a file, or its bytes, which are fetched once. */
const input = async (id) =>
  isRemote ? Buffer.concat(await (await open(id)).toArray()) : join(place, id);

const sizes = new Map();
const dimensionFunction = async ({ id }) => {
  const known = sizes.get(id);
  if (known) return known;
  const file = await input(id);
  const { pages = 1 } = await sharp(file, { limitInputPixels: false }).metadata();
  const found = [];
  for (let page = 0; page < pages; page++) {
    const { width, height } = await sharp(file, { page, limitInputPixels: false }).metadata();
    found.push({ width, height });
  }
  sizes.set(id, found);
  return found;
};

const streamResolver = ({ id }) => open(id);

createServer(async (request, response) => {
  try {
    const url = `http://${request.headers.host}${request.url}`;
    const result = await new Processor(url, streamResolver, { dimensionFunction }).execute();
    const body = Buffer.from(result.body ?? result.message ?? "");
    response.writeHead(result.statusCode ?? 200, {
      "content-type": result.contentType ?? "text/plain",
      "content-length": body.length,
    });
    response.end(body);
  } catch (error) {
    response.writeHead(error.statusCode ?? 500, { "content-type": "text/plain" });
    response.end(String(error.message));
  }
}).listen(Number(port), "127.0.0.1");

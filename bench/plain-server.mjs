// Serves the files of a folder from memory, by node:http alone: the upper bound of performance.
// Arguments: folder, port.
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const [folder = ".", port = "0"] = process.argv.slice(2);
const files = new Map(
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length), readFileSync(path)];
    }),
);

createServer((request, response) => {
  const body = files.get(request.url ?? "");
  if (body === undefined) response.writeHead(404).end();
  else
    response
      .writeHead(200, { "content-type": "image/jpeg", "content-length": body.length })
      .end(body);
}).listen(Number(port), "127.0.0.1");

import { parseArgs } from "node:util";
import { type BenchImage, readInformation } from "./image.ts";
import { isListKind, lists } from "./lists.ts";
import { serverBase } from "./options.ts";

const usage = `Makes a list of URLs for bench/run.ts from what a server says of its images.

  npx tsx bench/urls.ts --kind viewer --image /iiif/3/ID [options] > bench/urls/viewer.txt

  --kind KIND       ${Object.keys(lists).join(", ")}
  --image PATH      the base path of an image; may be given several times
  --count N         how many URLs           (1000)
  --seed N          where the dice start    (1): the same seed makes the same list
  --base URL        where the server is     (http://127.0.0.1:8182)
  --allow-remote    lets --base be another machine
`;

const main = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      kind: { type: "string", default: "viewer" },
      image: { type: "string", multiple: true, default: [] },
      count: { type: "string", default: "1000" },
      seed: { type: "string", default: "1" },
      base: { type: "string", default: "http://127.0.0.1:8182" },
      "allow-remote": { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const { kind } = values;
  if (!isListKind(kind))
    throw new Error(`Expected ${Object.keys(lists).join(", ")} for --kind, got "${kind}"`);
  const base = serverBase(values.base, { remote: values["allow-remote"] });
  const [first, ...rest] = await Promise.all(values.image.map((path) => fetchImage(base, path)));
  if (first === undefined) throw new Error("Expected at least one --image PATH");
  const options = { count: whole("count", values.count), seed: whole("seed", values.seed) };
  process.stdout.write(`${lists[kind]([first, ...rest], options).join("\n")}\n`);
};

const fetchImage = async (base: URL, path: string): Promise<BenchImage> => {
  const url = `${base.origin}${base.pathname.replace(/\/$/, "")}${path}/info.json`;
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) }).catch((cause) => {
    throw new Error(`Expected info.json at ${url}, got no answer`, { cause });
  });
  if (!response.ok) throw new Error(`Expected info.json at ${url}, got status ${response.status}`);
  return readInformation(path, await response.json());
};

const whole = (name: string, given: string): number => {
  if (!/^\d{1,7}$/.test(given))
    throw new Error(`Expected a whole number up to 9999999 for --${name}, got "${given}"`);
  return Number(given);
};

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});

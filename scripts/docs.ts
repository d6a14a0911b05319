// Writes the generated pages, or with --check lists outdated ones.
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { keyGroups } from "../src/app/keys.ts";
import { behaviourTable, keyComparison } from "../src/config/comparison.ts";
import { configurationJson, configurationMarkdown, sampleFile } from "../src/config/describe.ts";
import type { Failure } from "../src/core/errors.ts";
import { answers } from "../src/http/request/errors.ts";

const { floors } = createRequire(import.meta.url)("../.dependency-cruiser.cjs") as {
  readonly floors: readonly (readonly string[])[];
};

/** What each folder is for, as shown in the image of the layers. */
const rooms: Readonly<Record<string, string>> = {
  core: "shared terms: plan, info, failures, steps",
  config: "keys, values, files, environment",
  logging: "application, error and access logs",
  iiif: "the Image API: parsing, resolving, info.json",
  sources: "where images are stored",
  caches: "where derivatives and infos are cached",
  clients: "connections to remote services",
  delegate: "an institution's own rules",
  formats: "reading and writing files",
  auth: "logins",
  render: "plans become pixels",
  access: "who may see what",
  overlays: "marks on images",
  presentation: "manifests and collections",
  service: "serving an image",
  gallery: "folders and images to browse",
  http: "routes, headers, status codes",
  export: "images as static files",
  pyramids: "pyramids of images that are slow to zoom",
  doctor: "examining collections of images",
  conversion: "images to pyramids and other files",
  administration: "monitoring and managing the server",
  supervisor: "worker processes",
  app: "puts the parts together",
  cli: "commands",
};

const floorPicture = (): string => {
  const rows = [...floors].reverse().map((names, above) => {
    const floor = floors.length - 1 - above;
    const undocumented = names.filter((name) => rooms[name] === undefined);
    if (undocumented.length > 0) throw new Error(`No words for ${undocumented.join(", ")}`);
    return { floor, names: names.join(" │ "), words: names.map((name) => rooms[name]).join(" │ ") };
  });
  const width = Math.max(...rows.map(({ names }) => names.length));
  const lines = rows.map(
    ({ floor, names, words }) => ` ${String(floor).padStart(2)}  ${names.padEnd(width)}   ${words}`,
  );
  return ["```", ...lines, "```"].join("\n");
};

const failureTable = (): string => {
  const rows = (Object.keys(answers) as Failure[]).map((failure) => {
    const { status, log, show } = answers[failure];
    return `| ${failure} | ${status} | ${log} | ${show ? "yes" : "no"} |`;
  });
  return [
    "| failure | status | logged as | told to the client |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n");
};

/** Puts text between the two markers of a name in a page that is otherwise written by hand. */
const between = async (path: string, name: string, text: string): Promise<string> =>
  within(await readFile(path, "utf8"), path, name, text);

const within = (page: string, path: string, name: string, text: string): string => {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${path} has no markers ${begin} … ${end}`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
};

const pages: Readonly<Record<string, () => Promise<string> | string>> = {
  "docs/configuration.md": () => configurationMarkdown(keyGroups),
  "docs/configuration.json": () => configurationJson(keyGroups),
  "docs/vitrine.properties.sample": () => sampleFile(keyGroups),
  "ARCHITECTURE.md": () => between("ARCHITECTURE.md", "floors", floorPicture()),
  "docs/migrating.md": async () => {
    const path = "docs/migrating.md";
    const page = await between(path, "behaviours", behaviourTable(keyGroups));
    return within(page, path, "keys", keyComparison(keyGroups));
  },
  "docs/http.md": () => between("docs/http.md", "failures", failureTable()),
};

const checking = process.argv.includes("--check");
for (const [path, make] of Object.entries(pages)) {
  const wanted = await make();
  const there = await readFile(path, "utf8").catch(() => "");
  if (there === wanted) continue;
  if (checking) {
    console.error(`docs: ${path} is out of date; 'npm run docs' writes it.`);
    process.exitCode = 1;
  } else {
    await writeFile(path, wanted);
    console.log(`docs: wrote ${path}`);
  }
}
if (checking && process.exitCode === undefined)
  console.log("docs: every generated page is up to date.");

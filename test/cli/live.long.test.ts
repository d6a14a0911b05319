import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drawPictures, drawSmall } from "../e2e/pictures.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { serve, until } from "./program.ts";

const small = "/iiif/3/small.png";
const image = `${small}/full/max/0/default.jpg`;
const information = `${small}/info.json`;

interface Edit {
  /** Lines added to the file. */
  readonly lines: readonly string[];
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The part of a response that the edit changes. */
  readonly of: (answer: Response) => unknown | Promise<unknown>;
  readonly from: unknown;
  readonly to: unknown;
}

const status = (answer: Response): number => answer.status;
const header = (name: string) => (answer: Response) => answer.headers.get(name);
const member = (name: string) => async (answer: Response) =>
  ((await answer.json()) as Record<string, unknown>)[name];

const edits: readonly Edit[] = [
  {
    lines: ["endpoint.iiif.1.enabled = false"],
    path: "/iiif/1/small.png/info.json",
    of: status,
    from: 200,
    to: 403,
  },
  { lines: ["endpoint.iiif.3.enabled = false"], path: image, of: status, from: 200, to: 403 },
  { lines: ["endpoint.health.enabled = false"], path: "/health", of: status, from: 200, to: 403 },
  { lines: ["endpoint.landing.enabled = false"], path: "/", of: status, from: 200, to: 403 },
  {
    lines: ["endpoint.landing.list = true"],
    path: "/static/landing.json",
    of: member("listed"),
    from: false,
    to: true,
  },
  {
    lines: ["base_uri = https://images.example.org/a"],
    path: information,
    of: member("id"),
    from: expect.stringMatching(/^http:\/\/127/),
    to: `https://images.example.org/a${small}`,
  },
  {
    lines: ["slash_substitute = ::"],
    path: "/iiif/3/sub::small.png/info.json",
    of: status,
    from: 404,
    to: 200,
  },
  {
    lines: ["meta_identifier.transformer.StandardMetaIdentifierTransformer.delimiter = ~"],
    path: "/iiif/3/small.png~1/info.json",
    of: status,
    from: 404,
    to: 200,
  },
  {
    lines: ["max_pixels = 1000"],
    path: information,
    of: member("maxArea"),
    from: 60_000,
    to: 1000,
  },
  {
    lines: ["max_scale = 2"],
    path: `${small}/full/^400,/0/default.jpg`,
    of: status,
    from: 501,
    to: 200,
  },
  {
    lines: ["endpoint.iiif.restrict_to_sizes = true"],
    path: `${small}/full/37,/0/default.jpg`,
    of: status,
    from: 200,
    to: 403,
  },
  {
    lines: ["endpoint.iiif.preferred_formats = webp"],
    path: information,
    of: member("preferredFormats"),
    from: undefined,
    to: ["webp"],
  },
  {
    lines: ["FilesystemSource.BasicLookupStrategy.path_suffix = .png"],
    path: "/iiif/3/small/info.json",
    of: status,
    from: 404,
    to: 200,
  },
  {
    lines: ["cache.client.max_age = 61"],
    path: image,
    of: header("cache-control"),
    from: expect.stringContaining("max-age=2592000"),
    to: expect.stringContaining("max-age=61"),
  },
  {
    lines: ["cache.client.enabled = false"],
    path: image,
    of: header("cache-control"),
    from: expect.stringContaining("max-age"),
    to: null,
  },
  {
    lines: ["print_stack_trace_on_error_pages = true"],
    path: "/iiif/3/absent/info.json",
    of: member("stack"),
    from: undefined,
    to: expect.stringContaining(" at "),
  },
  {
    lines: ["http.trusted_proxies = none"],
    path: information,
    headers: { "x-forwarded-host": "elsewhere" },
    of: member("id"),
    from: expect.stringContaining("elsewhere"),
    to: expect.not.stringContaining("elsewhere"),
  },
];

/** A server with images and a configuration file, to which `edit` adds lines. */
const start = async (...lines: readonly string[]) => {
  const folder = await temporaryFolder();
  await drawPictures(folder);
  await drawSmall(folder, "sub/small.png");
  const path = join(folder, "vitrine.properties");
  const first = [
    "http.host = 127.0.0.1",
    `FilesystemSource.BasicLookupStrategy.path_prefix = ${folder}/`,
    ...lines,
  ];
  const edit = (more: readonly string[]) => writeFile(path, [...first, ...more, ""].join("\n"));
  await edit([]);
  const program = await serve(["--config", path]);
  const ask = (target: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${program.base}${target}`, { headers });
  return { ...program, folder, path, edit, ask };
};

const holds = (value: unknown, expected: unknown): boolean => {
  try {
    expect(value).toEqual(expected);
    return true;
  } catch {
    return false;
  }
};

test("an edit takes effect on the next request, and so does its removal", async () => {
  const { edit, ask, stderr } = await start();
  for (const { lines, path, headers, of, from, to } of edits) {
    const see = async () => of(await ask(path, headers));
    expect(await see(), `${lines} before`).toEqual(from);
    await edit(lines);
    expect(await until(see, (seen) => holds(seen, to)), `${lines}`).toEqual(to);
    await edit([]);
    expect(await until(see, (seen) => holds(seen, from)), `without ${lines}`).toEqual(from);
  }
  expect(stderr()).not.toContain(" ERROR ");
}, 120_000);

test("a changed encoding makes a new derivative with a new ETag", async () => {
  const { edit, ask } = await start(
    "cache.server.derivative.enabled = true",
    "cache.server.derivative = HeapCache",
  );
  const see = async () => {
    const answer = await ask(image);
    return { tag: answer.headers.get("etag"), bytes: (await answer.arrayBuffer()).byteLength };
  };
  const before = await see();
  await edit(["processor.jpg.quality = 20"]);
  const after = await until(see, ({ tag }) => tag !== before.tag);
  expect(after.bytes).toBeLessThan(before.bytes);
  await edit([]);
  expect(await until(see, ({ tag }) => tag !== after.tag)).toEqual(before);
});

test("an invalid edit changes nothing, and all errors are reported once", async () => {
  const { edit, ask, stderr } = await start("max_pixels = 2000");
  await edit(["processor.jpg.quality = 300", "endpoint.iiif.3.enabled = perhaps", "max_scale = 3"]);
  await until(
    async () => stderr(),
    (said) => said.includes("The changed configuration was not applied"),
  );
  expect(await member("maxArea")(await ask(information))).toBe(2000);
  for (const key of ["processor.jpg.quality", "endpoint.iiif.3.enabled"])
    expect(stderr().split(`ERROR ${key}: expected`)).toHaveLength(2);
  await edit(["max_scale = 3"]);
  await until(
    async () => stderr(),
    (said) => said.includes("The changed configuration was applied"),
  );
});

test("a key that needs a restart is reported as pending", async () => {
  const { edit, ask, stderr } = await start();
  await edit(["http.accept_queue_limit = 7"]);
  await until(
    async () => stderr(),
    (said) => said.includes("Some changes need a restart"),
  );
  expect(stderr()).toContain("http.accept_queue_limit");
  expect(await status(await ask(information))).toBe(200);
});

test("logs start, change their format and end while the server runs", async () => {
  const { edit, ask, folder, stderr } = await start();
  const read = (name: string) => readFile(join(folder, name), "utf8").catch(() => "");
  await edit([
    "log.access.FileAppender.enabled = true",
    `log.access.FileAppender.pathname = ${folder}/logs/access.log`,
    "log.application.level = debug",
    "log.application.FileAppender.enabled = true",
    "log.application.FileAppender.logstash.enabled = true",
    `log.application.FileAppender.pathname = ${folder}/logs/application.log`,
  ]);
  const answer = await until(
    async () => {
      const absent = await ask("/iiif/3/absent/info.json?x=1", { authorization: "Basic c2VjcmV0" });
      await absent.text();
      return { id: absent.headers.get("x-request-id"), log: await read("logs/application.log") };
    },
    ({ log }) => log.includes("404 Not Found for GET /iiif/3/absent/info.json"),
  );
  const entries = answer.log
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const entry = entries.find(({ message }) => message.startsWith("404"));
  expect(entry).toMatchObject({
    level: "DEBUG",
    "@version": "1",
    request: expect.stringMatching(/^[\da-f-]{36}$/),
  });
  const access = await until(
    () => read("logs/access.log"),
    (log) => log.includes("absent"),
  );
  expect(access).toMatch(
    /^127\.0\.0\.1 - - \[\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] "GET \/iiif\/3\/absent\/info\.json\?x=1 HTTP\/1\.1" 404 \d+ "-" "node" \d+\.\d$/m,
  );
  for (const written of [answer.log, access, stderr()]) expect(written).not.toContain("c2VjcmV0");
  await edit([]);
  await until(
    async () => {
      const { length } = await read("logs/access.log");
      await (await ask(information)).text();
      await new Promise((resolve) => setTimeout(resolve, 50));
      return (await read("logs/access.log")).length - length;
    },
    (grown) => grown === 0,
  );
});

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type RunningProgram, serve } from "../cli/program.ts";
import { drawPictures, tile } from "./pictures.ts";

vi.setConfig({ testTimeout: 180_000 });

const login = `Basic ${Buffer.from("keeper:open:sesame").toString("base64")}`;
const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

interface Told {
  readonly status: number;
  readonly location: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect, and fail where it is not there
  readonly body: any;
}

/** Each over a connection of its own, so that workers take turns. */
const ask = (base: string, method: string, path: string, body?: object): Promise<Told> =>
  new Promise((resolve, reject) => {
    const asking = request(`${base}${path}`, {
      method,
      agent: false,
      headers: { authorization: login, ...(body && { "content-type": "application/json" }) },
      timeout: 30_000,
    });
    asking.on("timeout", () => asking.destroy(new Error("No answer within 30 s")));
    asking.on("error", reject);
    asking.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const isJson = response.headers["content-type"]?.startsWith("application/json");
        resolve({
          status: response.statusCode ?? 0,
          location: response.headers.location ?? "",
          body: isJson ? JSON.parse(text) : text,
        });
      });
    });
    asking.end(body && JSON.stringify(body));
  });

interface Place {
  readonly path: string;
  readonly start: () => Promise<RunningProgram>;
}

const place = async (lines: readonly string[] = []): Promise<Place> => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-administration-"));
  folders.push(folder);
  await drawPictures(folder);
  const path = join(folder, "vitrine.properties");
  const all = [
    "# Who may",
    "endpoint.api.enabled = true",
    "endpoint.api.username = keeper",
    "endpoint.api.secret = open:sesame",
    "http.host = 127.0.0.1",
    "http.workers = 2",
    `FilesystemSource.BasicLookupStrategy.path_prefix = ${folder}${sep}`,
    "cache.server.derivative.enabled = true",
    "cache.server.derivative = HeapCache",
    "HeapCache.target_size = 64M",
    "# How large",
    "max_pixels = 50000000",
    ...lines,
  ];
  await writeFile(path, `${all.join("\n")}\n`);
  return { path, start: () => serve(["--config", path]) };
};

/** Workers start slowly on a busy machine. */
const until = async <T>(ask: () => Promise<T>, holds: (value: T) => boolean): Promise<T> => {
  const end = performance.now() + 60_000;
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    if (performance.now() > end) throw new Error(`It stayed so: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

const bothServe = (base: string): Promise<Told> =>
  until(
    () => ask(base, "GET", "/status"),
    ({ body }) => body.server?.workers?.length === 2,
  );

/** The distinct responses to many requests. */
const distinct = async (
  count: number,
  one: () => Promise<unknown>,
): Promise<readonly unknown[]> => {
  const seen = new Set<string>();
  for (let n = 0; n < count; n++) seen.add(JSON.stringify(await one()));
  return [...seen].map((text) => JSON.parse(text));
};

const layer = ({ body }: Told, name: string) =>
  body.caches.find(({ layer }: { layer: string }) => layer === name);

describe("two workers", () => {
  it("are reported together, changed together, and drained together", async () => {
    const { start, path } = await place();
    const { base, stderr } = await start();
    const status = await bothServe(base);
    const pids = status.body.server.workers.map(({ pid }: { pid: number }) => pid);
    expect(new Set(pids).size).toBe(2);

    // Each caches what it rendered, whichever is asked for the sum.
    await until(
      async () => {
        for (let n = 0; n < 4; n++) await ask(base, "GET", tile(0));
        return layer(await ask(base, "GET", "/status"), "memory").entries;
      },
      (entries) => entries === 2,
    );

    const put = await ask(base, "PUT", "/configuration", { "endpoint.iiif.2.enabled": false });
    expect(put.body).toEqual({
      changed: ["endpoint.iiif.2.enabled"],
      restart: [],
      overridden: [],
      warnings: [],
      written: true,
    });
    const v2 = async () => (await ask(base, "GET", "/iiif/2")).status;
    expect(await distinct(10, v2)).toEqual([403]);
    expect(await readFile(path, "utf8")).toContain("# How large\nmax_pixels = 50000000\n");
    const written = async () =>
      (await ask(base, "GET", "/configuration")).body["endpoint.iiif.2.enabled"];
    expect(await distinct(6, written)).toEqual(["false"]);

    const begun = await ask(base, "POST", "/tasks", { verb: "PurgeCache" });
    expect(begun.status).toBe(202);
    const task = new URL(begun.location).pathname;
    const done = await until(
      () => ask(base, "GET", task),
      ({ body }) => body.done,
    );
    expect(done.body).toMatchObject({ status: "SUCCEEDED", removed: { entries: 2 } });
    const found = async () => (await ask(base, "GET", task)).body.status;
    expect(await distinct(6, found)).toEqual(["SUCCEEDED"]);
    const empty = await ask(base, "GET", "/status");
    expect(layer(empty, "memory").entries).toBe(0);
    expect(layer(empty, "infos").entries).toBe(0);

    // A later worker knows what changed before.
    process.kill(pids[0], "SIGKILL");
    // Connections handed to it at that moment are lost with it.
    await until(
      async () => stderr(),
      (said) => said.includes("A worker ended"),
    );
    await until(
      () => ask(base, "GET", "/status"),
      ({ body }) =>
        body.server?.workers?.length === 2 &&
        !body.server.workers.some(({ pid }: { pid: number }) => pid === pids[0]),
    );
    expect(await distinct(10, v2)).toEqual([403]);
  });

  it("delay guesses from an address together", async () => {
    const { start } = await place();
    const { base } = await start();
    await bothServe(base);
    const guess = (): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Basic ${Buffer.from("a:b").toString("base64")}` };
        request(`${base}/status`, { agent: false, headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on("error", reject)
          .end();
      });
    const answers: number[] = [];
    for (let n = 0; n < 6; n++) answers.push(await guess());
    expect(answers).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

describe("a killed server", () => {
  it("has earlier changes in its file, with what the file held before", async () => {
    const { start, path } = await place();
    const first = await start();
    const put = await ask(first.base, "PUT", "/configuration", {
      max_pixels: 12_345_678,
      "endpoint.landing.enabled": false,
    });
    expect(put.status).toBe(200);
    first.signal("SIGKILL");
    await first.ended;
    const text = await readFile(path, "utf8");
    expect(text.startsWith("# Who may\nendpoint.api.enabled = true\n")).toBe(true);
    expect(text).toContain("# How large\nmax_pixels = 12345678\n");
    const second = await start();
    expect((await ask(second.base, "GET", "/")).status).toBe(403);
    expect((await ask(second.base, "GET", "/configuration")).body["max_pixels"]).toBe("12345678");
    expect((await ask(second.base, "GET", "/tasks")).body).toEqual([]);
  });

  it("leaves a complete file behind, whenever it happens", async () => {
    const { start, path } = await place();
    const whole = await readFile(path, "utf8");
    for (const patience of [0, 2, 5, 9]) {
      const server = await start();
      const asked = ask(server.base, "PUT", "/configuration", { max_pixels: 1_000 + patience });
      asked.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, patience));
      server.signal("SIGKILL");
      await server.ended;
      const text = await readFile(path, "utf8");
      expect(text.replace(/max_pixels = \d+/, "max_pixels = 50000000")).toBe(whole);
    }
  });
});

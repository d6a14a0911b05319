import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { drawPictures } from "../e2e/pictures.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { run, serve, until } from "./program.ts";

/** An image that takes a while to render. */
const slow = "/iiif/3/large.png/full/600,/0/default.avif";

/** The effort that makes it take far longer than a server takes to shut down. */
const verySlowly = { PROCESSOR_AVIF_EFFORT: "9" };

const pictures = async (): Promise<string> => {
  const folder = await temporaryFolder();
  await drawPictures(folder);
  return folder;
};

/** Sends a slow request, and returns once the server works on it. */
const underWay = async (base: string): Promise<{ readonly answer: Promise<unknown> }> => {
  const answer = fetch(`${base}${slow}`).then(
    async (given) => ({ status: given.status, whole: (await given.arrayBuffer()).byteLength > 0 }),
    () => "cut off",
  );
  // A later response shows that the earlier request has arrived.
  await fetch(`${base}/iiif/3/large.png/info.json`);
  return { answer };
};

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s lets requests in flight finish, and exits with 0",
  async (signal) => {
    const server = await serve([await pictures()]);
    const { answer } = await underWay(server.base);
    server.signal(signal);
    expect(await answer).toEqual({ status: 200, whole: true });
    const { code, stdout, stderr } = await server.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/Stopping\.\n$/);
  },
);

test("a second signal does not wait for requests in flight", async () => {
  const server = await serve([await pictures()], { env: verySlowly });
  const { answer } = await underWay(server.base);
  server.signal("SIGTERM");
  await until(
    async () => server.stderr(),
    (said) => said.includes("Stopping."),
  );
  server.signal("SIGTERM");
  expect((await server.ended).code).toBe(1);
  expect(await answer).toBe("cut off");
});

test("persistent connections do not keep the server running", async () => {
  const server = await serve([await pictures()]);
  const { port } = new URL(server.base);
  const idle = connect(Number(port), "127.0.0.1");
  onTestFinished(() => {
    idle.destroy();
  });
  idle.write("GET /health HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(idle, "data");
  server.signal("SIGTERM");
  expect((await server.ended).code).toBe(0);
});

test("a port in use is reported, with the keys that choose another", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => {
    other.close();
  });
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const env = { HTTP_PORT: String(port), HTTP_HOST: "127.0.0.1" };
  const { code, stderr } = await run(["serve", await pictures()], { env });
  expect(code).toBe(2);
  expect(stderr).toContain(`Cannot listen on 127.0.0.1, port ${port} (another program has it).`);
  expect(stderr).toContain("HTTP_PORT");
});

test("invalid values are all reported at once, and the server does not start", async () => {
  const folder = await temporaryFolder({
    "parent.properties": "processor.jpg.quality = 0\nmax_scale = much\n",
    "v.properties": [
      "\uFEFFextends = parent.properties",
      "max_pixels = -3",
      "endpoint.iiif.2.enabled = yes",
      "processor.background_color = no colour",
      "max_scle = 2",
      "no entry at all",
    ].join("\r\n"),
  });
  const { code, stdout, stderr } = await run(["serve", "--config", "v.properties"], {
    cwd: folder,
    env: { HTTP_PORT: "70000" },
  });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  for (const key of [
    "processor.jpg.quality",
    "max_scale",
    "max_pixels",
    "endpoint.iiif.2.enabled",
    "processor.background_color",
    "http.port",
  ])
    expect(stderr).toContain(`error: ${key}: expected `);
  expect(stderr).toContain("warning: max_scle: there is no such key");
  expect(stderr).toContain("v.properties:6");
});

test("environment variables set keys of every type", async () => {
  const server = await serve([await pictures()], {
    env: {
      MAX_PIXELS: "5000",
      MAX_SCALE: "2.5",
      ENDPOINT_IIIF_1_ENABLED: "0",
      ENDPOINT_IIIF_PREFERRED_FORMATS: "png, jpg",
      ENDPOINT_IIIF_SCALE_REFERENCE: "",
      SLASH_SUBSTITUTE: "::",
      PROCESSOR_BACKGROUND_COLOR: "#102030",
      HEAPCACHE_TARGET_SIZE: "1.5 MB",
      LOG_ACCESS_CONSOLEAPPENDER_ENABLED: "true",
      HOME: undefined,
    },
  });
  const information = await (await fetch(`${server.base}/iiif/3/small.png/info.json`)).json();
  expect(information).toMatchObject({ maxArea: 5000, preferredFormats: ["png", "jpg"] });
  expect((await fetch(`${server.base}/iiif/1/small.png/info.json`)).status).toBe(403);
  await until(
    async () => server.stdout(),
    (said) => said.includes("/iiif/1/small.png/info.json"),
  );
});

test("a log that cannot be written is reported, and images are still served", async () => {
  const folder = await pictures();
  await writeFile(join(folder, "file"), "");
  const server = await serve([folder], {
    env: {
      LOG_ACCESS_FILEAPPENDER_ENABLED: "true",
      LOG_ACCESS_FILEAPPENDER_PATHNAME: join(folder, "file", "access.log"),
    },
  });
  await until(
    async () => server.stderr(),
    (said) => said.includes("cannot be written"),
  );
  for (let n = 0; n < 3; n++)
    expect((await fetch(`${server.base}/iiif/3/small.png/info.json`)).status).toBe(200);
  expect(server.stderr().split("cannot be written")).toHaveLength(2);
});

test("a log without a file is rejected at the start", async () => {
  const env = { LOG_ACCESS_FILEAPPENDER_ENABLED: "true", HTTP_PORT: "0" };
  const { code, stderr } = await run(["serve", await pictures()], { env });
  expect(code).toBe(2);
  expect(stderr).toContain("log.access.FileAppender.pathname: expected the path of a file");
});

test("a reader of the log that disconnects does not end the server", async () => {
  const server = await serve([await pictures()], {
    env: { LOG_ACCESS_CONSOLEAPPENDER_ENABLED: "true", LOG_APPLICATION_LEVEL: "debug" },
  });
  server.deafen();
  for (let n = 0; n < 5; n++)
    expect((await fetch(`${server.base}/iiif/3/absent/info.json`)).status).toBe(404);
  server.signal("SIGTERM");
  expect((await server.ended).code).toBe(0);
});

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { drawPictures } from "../e2e/pictures.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { run, serve, start, until } from "./program.ts";

const key = "auth.basic.enabled";
const small = "/iiif/3/small.png/full/max/0/default.jpg";

/** A folder of images with a configuration that serves it. */
const prepare = async (...lines: readonly string[]) => {
  const folder = await temporaryFolder();
  await drawPictures(folder);
  const path = join(folder, "vitrine.properties");
  const first = [
    "http.host = 127.0.0.1",
    `FilesystemSource.BasicLookupStrategy.path_prefix = ${folder}/`,
  ];
  const edit = (...more: readonly string[]) => writeFile(path, [...first, ...more, ""].join("\n"));
  await edit(...lines);
  return { folder, path, edit };
};

describe("a configuration that asks for missing protection", () => {
  test("prevents the server from starting, with what is missing and what to do", async () => {
    const { path } = await prepare(`${key} = true`);
    const { code, stderr } = await start(["serve", "--config", path], {
      env: { HTTP_PORT: "0" },
    }).ended;
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${key}: asks for a user name and a password`);
    expect(stderr).toContain("unsupported_protection = ignore");
    expect(stderr).not.toContain("serves at");
  });

  test("prevents the server from starting from the environment alone", async () => {
    const { folder } = await prepare();
    const env = { HTTP_PORT: "0", AUTH_BASIC_ENABLED: "true" };
    const { code, stderr } = await start(["serve", folder], { env }).ended;
    expect(code).toBe(2);
    expect(stderr).toContain("environment variable AUTH_BASIC_ENABLED");
  });

  test("is rejected by the check", async () => {
    const { path } = await prepare(`${key} = true`);
    const { code, stdout } = await run(["config", "check", path]);
    expect(code).toBe(2);
    expect(stdout).toContain(`${key}: asks for`);
    expect(stdout).toMatch(/: not usable: 1 error; the server would not start\.\n$/);
  });

  test("starts the server with a warning if that is ignored on purpose", async () => {
    const { path } = await prepare(`${key} = true\nendpoint.health.enabled = true`);
    const { base, stderr } = await serve(["--config", path], {
      env: { UNSUPPORTED_PROTECTION: "ignore" },
    });
    expect(stderr()).toContain(`warning: ${key}: asks for`);
    expect((await fetch(`${base}${small}`)).status).toBe(200);
    const health = await fetch(`${base}/health`);
    expect([health.status, await health.json()]).toMatchObject([500, { color: "YELLOW" }]);
  });

  test("is adopted by no running worker, nor by a replacement", async () => {
    const { path, edit } = await prepare("max_pixels = 2000");
    const { base, stderr } = await serve(["--config", path], { env: { HTTP_WORKERS: "2" } });
    const pids = () =>
      [...stderr().matchAll(/A worker serves worker=\d pid=(\d+)/g)].map(([, pid]) => Number(pid));
    await until(
      async () => pids(),
      ({ length }) => length === 2,
      patience,
    );
    await edit("max_pixels = 1000", `${key} = true`);
    await until(
      async () => stderr(),
      (said) => said.includes("The changed configuration was not applied"),
    );
    expect(stderr()).toContain(`${key}: asks for`);
    const maxArea = async () =>
      ((await (await fetch(`${base}/iiif/3/small.png/info.json`)).json()) as { maxArea: number })
        .maxArea;
    for (let n = 0; n < 4; n++) expect(await maxArea()).toBe(2000);
    // Workers started now cannot read the settings the others run with.
    for (const [n, pid] of pids().entries()) {
      process.kill(pid, "SIGKILL");
      await until(
        async () => pids(),
        ({ length }) => length === 3 + n,
        patience,
      );
    }
    expect(stderr()).not.toContain("The server was not started");
    for (let n = 0; n < 4; n++) expect(await maxArea()).toBe(2000);
  }, 240_000);
});

/** Milliseconds that two workers may take to start on a busy machine. */
const patience = 60_000;

test("Cantaloupe's own sample starts the server", async () => {
  const sample = await readFile(new URL("cantaloupe.properties", import.meta.url), "utf8");
  const { folder, path } = await prepare();
  await writeFile(path, sample.replaceAll("{pictures}", folder));
  const { base } = await serve(["--config", path], { env: { HTTP_HOST: "127.0.0.1" } });
  expect((await fetch(`${base}${small}`)).status).toBe(200);
  expect((await fetch(`${base}/health`)).status).toBe(200);
});

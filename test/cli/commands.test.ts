import { execFile } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { run, serve, until } from "./program.ts";

const samples = fileURLToPath(new URL("../../samples/", import.meta.url));

test("an invalid command line exits with 2 and a message on standard error", async () => {
  const { code, stdout, stderr } = await run(["serve", "absent"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toBe("vitrine: serve: there is no folder 'absent'\nTry 'vitrine serve --help'.\n");
});

test("serve takes port and address from the command line before the environment", async () => {
  const server = await serve([samples, "--port", "0", "--host", "localhost"], {
    env: { HTTP_PORT: "1", HTTP_HOST: "192.0.2.1" },
  });
  expect(new URL(server.base).hostname).toBe("localhost");
  expect((await fetch(`${server.base}/iiif/3/chart.jpg/info.json`)).status).toBe(200);
});

test("serve --open passes the address to the system's opener", async () => {
  const folder = await temporaryFolder({ "xdg-open": '#!/bin/sh\nprintf "%s" "$1" > "$0.told"\n' });
  await chmod(join(folder, "xdg-open"), 0o755);
  const server = await serve([samples, "--open"], {
    env: { PATH: `${folder}:${process.env["PATH"]}` },
  });
  const told = await until(
    () => readFile(join(folder, "xdg-open.told"), "utf8").catch(() => ""),
    (text) => text !== "",
  );
  expect(told).toBe(`${server.base}/`);
});

test("config check accepts its file with --config, too", async () => {
  const cwd = await temporaryFolder({ "a.properties": "max_pixels = 1\n" });
  const checked = await run(["config", "check", "--config", "a.properties"], { cwd });
  expect(checked).toMatchObject({ code: 0, stderr: "" });
  expect(checked.stdout).toMatch(/a\.properties: good\.\n$/);
});

test("results go to standard output only, in usable form", async () => {
  const version = await run(["--version"]);
  expect(version.stdout).toMatch(/^vitrine \d+\.\d+\.\d+\n$/);
  const { stdout, stderr } = await run(["inspect", "--json", join(samples, "three-pages.tif")]);
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toMatchObject({ format: "tif", pages: { length: 3 } });
});

test("a printed configuration can be loaded", async () => {
  const folder = await temporaryFolder();
  const { stdout } = await run(["config", "print"]);
  await writeFile(join(folder, "vitrine.properties"), stdout);
  const checked = await run(["config", "check"], { cwd: folder });
  expect(checked).toMatchObject({ code: 0, stderr: "" });
  expect(checked.stdout).toMatch(/vitrine\.properties: good\.\n$/);
});

test("inspect describes an image, and exits with 1 and a reason for anything else", async () => {
  const { code, stdout } = await run(["inspect", join(samples, "chart-orientation-6.jpg")]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^format +JPEG\npages +1\nsize +\d+ x \d+\norientation +6 /);
  const folder = await temporaryFolder({ "a.jpg": "no picture" });
  const none = await run(["inspect", "a.jpg"], { cwd: folder });
  expect(none).toMatchObject({ code: 1, stdout: "" });
  expect(none.stderr).toBe("a.jpg: the file is in no format that this server reads\n");
});

test("a reader that closes the pipe early causes no failure", async () => {
  const program = [process.execPath, "dist/cli/main.js"];
  const shell = `"$@" config print | true; exit "\${PIPESTATUS[0]}"`;
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) =>
    execFile("bash", ["-c", shell, "bash", ...program], (error, _, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    ),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("a Cantaloupe configuration is accepted, with a brief report of keys without effect", async () => {
  const sample = await readFile(new URL("cantaloupe.properties", import.meta.url), "utf8");
  const cwd = await temporaryFolder({ "c.properties": sample });
  const { code, stdout, stderr } = await run(["config", "check", "c.properties"], {
    cwd,
    env: { FILESYSTEMSOURCE_BASICLOOKUPSTRATEGY_PATH_PREFIX: `${cwd}/` },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/c\.properties: good\.\n$/);
  expect(stdout).toContain("processor.imageio.* (10)");
  expect(stdout.split("\n").length).toBeLessThan(60);
});

test("the command line and the supervisor start without loading decoders", async () => {
  const script = `
    for (const name of ["program", "serve-supervisor"]) await import("./dist/cli/" + name + ".js");
    const { default: { _cache } } = await import("node:module");
    console.log(Object.keys(_cache).filter((path) => path.includes("/sharp/") || path.includes("/fastify/")).length);`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    script,
  ]);
  expect(stdout).toBe("0\n");
});

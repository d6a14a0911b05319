import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startServer } from "../e2e/app.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { run } from "./program.ts";

const key = "FilesystemSource.BasicLookupStrategy.path_prefix";

it.each(["gone/", "gone", "a.properties/"])(
  "with the missing folder '%s' the server does not start, and config check reports why",
  async (name) => {
    const cwd = await temporaryFolder();
    const folder = join(cwd, name) + (name.endsWith("/") ? "/" : "");
    const file = join(
      await temporaryFolder({ "a.properties": `${key} = ${folder}\n` }),
      "a.properties",
    );
    const checked = await run(["config", "check", file], { cwd });
    expect(checked).toMatchObject({ code: 2 });
    expect(checked.stdout).toContain(`${key}: there is no folder '${folder}'`);
    const served = await run(["serve", "--config", file, "--port", "0"], { cwd });
    expect(served).toMatchObject({ code: 2 });
    expect(served.stderr).toContain(`${key}: there is no folder '${folder}'`);
  },
);

it("a prefix of file paths need not be a folder", async () => {
  const cwd = await temporaryFolder({ "map-1.jpg": "", "a.properties": "" });
  const checked = await run(["config", "check", "a.properties"], {
    cwd,
    env: { FILESYSTEMSOURCE_BASICLOOKUPSTRATEGY_PATH_PREFIX: join(cwd, "map-") },
  });
  expect(checked.stdout).not.toContain("there is no folder");
  expect(checked).toMatchObject({ code: 0 });
});

it("/health is RED once the folder has vanished", async () => {
  const server = await startServer(async () => {});
  try {
    expect(await server.ask("/health")).toMatchObject({ status: 200 });
    await rm(server.folder, { recursive: true });
    const { status, body } = await server.ask("/health");
    expect(status).toBe(500);
    expect(JSON.parse(body.toString())).toMatchObject({ color: "RED" });
  } finally {
    await server.close();
  }
});

import { chmod, copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./app.ts";
import { drawPictures } from "./pictures.ts";
import { imagePath, infoPath } from "./requests.ts";

const formats = ["small.png", "small.jpg", "small.webp", "small.gif", "large.tif"];
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const hasUsers = process.seteuid !== undefined;

let server: TestServer;
beforeAll(async () => {
  server = await startServer(
    async (folder) => {
      await drawPictures(folder);
      const { default: sharp } = await import("sharp");
      for (const name of ["small.jpg", "small.webp", "small.gif"])
        await sharp(join(folder, "small.png")).toFile(join(folder, name));
      await chmod(folder, 0o755);
    },
    // Nothing is cached, so that each request reads the file.
    { "cache.server.info.enabled": false, "FilesystemSource.open_files.max": 0 },
  );
  // Decoders are loaded before the process drops its privileges.
  for (const name of formats) {
    expect((await server.ask(infoPath(3, name))).status).toBe(200);
    expect((await server.ask(imagePath(3, name, { size: "50," }))).status).toBe(200);
  }
});
afterEach(() => {
  if (isRoot) process.seteuid?.(0);
});
afterAll(() => server.close());

/** Root may read every file: as root, the tests continue as nobody. */
const giveUpRights = (): void => {
  if (isRoot) process.seteuid?.(nobody);
};

describe.skipIf(!hasUsers)("an unreadable file (skipped where the system has no users)", () => {
  it.each(formats)("%s is 403 without permission, for every request", async (name) => {
    const locked = `locked-${name}`;
    await copyFile(join(server.folder, name), join(server.folder, locked));
    await chmod(join(server.folder, locked), 0o000);
    giveUpRights();
    for (const path of [
      infoPath(3, locked),
      imagePath(3, locked, { size: "max" }),
      imagePath(3, locked, { size: "50," }),
      imagePath(2, locked, { region: "0,0,128,128", size: "64," }),
    ]) {
      const { status, body } = await server.ask(path);
      expect({ path, status }).toEqual({ path, status: 403 });
      expect(body.toString()).not.toContain(server.folder);
    }
  });

  it.each(formats)(
    "%s is 403 once its permission is revoked, and 200 again after",
    async (name) => {
      const file = join(server.folder, name);
      const path = imagePath(3, name, { size: "40," });
      await chmod(file, 0o000);
      giveUpRights();
      expect((await server.ask(path)).status).toBe(403);
      if (isRoot) process.seteuid?.(0);
      await chmod(file, 0o644);
      giveUpRights();
      expect((await server.ask(path)).status).toBe(200);
    },
  );
});

it.each(formats)("%s is 404 once it is gone", async (name) => {
  const gone = `gone-${name}`;
  await copyFile(join(server.folder, name), join(server.folder, gone));
  expect((await server.ask(imagePath(3, gone, { size: "50," }))).status).toBe(200);
  await rm(join(server.folder, gone));
  expect((await server.ask(imagePath(3, gone, { size: "50," }))).status).toBe(404);
  expect((await server.ask(infoPath(3, gone))).status).toBe(404);
});

import { appendFile, readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Administered, startAdministered } from "./administered.ts";

let server: Administered;
beforeAll(async () => {
  server = await startAdministered([
    "access.rules.1.identifier = ^small",
    "access.rules.1.action = allow",
  ]);
});
afterAll(() => server?.close());

const statusOf = async (identifier: string): Promise<number> => {
  const path = `/iiif/3/${identifier}/full/max/0/default.jpg`;
  return (await server.ask("GET", path, { login: null })).status;
};

it("adopts changed access rules from the file, and no invalid ones", async () => {
  expect([await statusOf("small.png"), await statusOf("large.png")]).toEqual([200, 403]);
  await appendFile(
    server.path,
    "access.rules.2.identifier = ^large\naccess.rules.2.action = allow\n",
  );
  await server.file.reload();
  expect([await statusOf("small.png"), await statusOf("large.png")]).toEqual([200, 200]);

  const good = await readFile(server.path, "utf8");
  await writeFile(server.path, good.replace("2.identifier = ^large", "2.identifire = ^nothing"));
  await server.file.reload();
  expect(server.file.problems.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining("access.rules.2.identifire: there is no such key"),
  ]);
  expect(server.file.running.errors).toEqual([]);
  expect([await statusOf("small.png"), await statusOf("large.png")]).toEqual([200, 200]);

  await writeFile(server.path, good.replace("1.action = allow", "1.action = deny"));
  await server.file.reload();
  expect([await statusOf("small.png"), await statusOf("large.png")]).toEqual([403, 200]);
});

it("prevents changes through the API, and shows no token there", async () => {
  const body = { "access.rules.1.action": "allow", "access.rules.9.action": "allow" };
  const { status, text } = await server.ask("PUT", "/configuration", {
    body,
    headers: { "content-type": "application/json" },
  });
  expect(status).toBe(403);
  expect(text).toContain("access.rules.9.action");
});

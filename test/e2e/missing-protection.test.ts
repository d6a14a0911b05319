import { writeFile } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type Administered, startAdministered } from "./administered.ts";
import { type Panelled, startPanelled } from "./panelled.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
const start = async (...lines: readonly string[]): Promise<Administered> => {
  const server = await startAdministered(lines);
  open.push(server);
  return server;
};
const startPanel = async (...lines: readonly string[]): Promise<Panelled> => {
  const server = await startPanelled(lines);
  open.push(server);
  await server.enter();
  return server;
};

const ignoring = "unsupported_protection = ignore";
const login = "http.auth.basic";
const syslog = "log.application.SyslogAppender.enabled";
const health = async (server: Administered) => server.ask("GET", "/health", { login: null });
const warnings = async (server: Administered): Promise<string> =>
  (await server.ask("GET", "/status")).json().warnings.join("\n");

describe("missing protection", () => {
  it("cannot be requested through the API, and nothing of such a request is applied", async () => {
    const server = await start(`${login} = false`);
    const before = await server.text();
    const told = await server.ask("PUT", "/configuration", {
      body: { max_pixels: 5, [login]: true, "auth.basic.enabled": true },
      headers: { accept: "application/json" },
    });
    expect([400, 403]).toContain(told.status);
    expect(told.json().message).toContain(`${login}: asks for a user name`);
    expect(told.json().message).toContain("auth.basic.enabled: asks for a user name");
    expect(await server.text()).toBe(before);
    expect((await server.ask("GET", "/configuration")).json()).not.toHaveProperty("max_pixels");
    expect((await health(server)).status).toBe(200);
  });

  it("cannot be requested through the panel, which reports it during editing", async () => {
    const server = await startPanel();
    const body = { [login]: "true" };
    const checked = await server.call("POST", "configuration/check", { body });
    expect(checked.json().problems).toContainEqual({
      key: login,
      message: expect.stringContaining("Vitrine does not have yet"),
    });
    const told = await server.call("PUT", "configuration", { body });
    expect([400, 403]).toContain(told.status);
    expect(told.json()).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([expect.objectContaining({ key: login })]),
    });
    expect(await server.text()).not.toContain(login);
  });

  it("prevents a changed file from being adopted, which is reported", async () => {
    const server = await start("max_pixels = 1000");
    await writeFile(
      server.path,
      (await server.text()).replace("1000", `2000\nauth.basic.enabled = true`),
    );
    await server.file.reload();
    expect(server.file.snapshot["max_pixels"]).toBe(1000);
    const told = await warnings(server);
    expect(told).toContain("is invalid");
    expect(told).toContain("auth.basic.enabled: asks for");
  });

  it("prevents an embedded server from being created", async () => {
    await expect(start(`${login} = true`)).rejects.toThrow("which Vitrine does not have yet");
  });

  it("causes warnings everywhere if it is ignored", async () => {
    const server = await startPanel(`${login} = true`, ignoring);
    const status = await server.ask("GET", "/status");
    expect(status.json().warnings.join()).toContain(`${login}: asks for a user name`);
    const told = await health(server);
    expect(told.status).toBe(500);
    expect(told.json()).toMatchObject({
      color: "YELLOW",
      message: expect.stringContaining(login),
    });
    expect(told.text).not.toContain(server.folder);
    const put = await server.ask("PUT", "/configuration", { body: { max_pixels: 5 } });
    expect(put.json()).toMatchObject({
      changed: ["max_pixels"],
      warnings: [expect.stringContaining(login)],
    });
    const panel = await server.call("PUT", "configuration", { body: { max_pixels: 6 } });
    expect(panel.json().warnings).toEqual([expect.stringContaining(login)]);
    expect((await server.call("GET", "status")).json().warnings.join()).toContain(login);
    expect((await server.call("GET", "health")).json().color).toBe("YELLOW");
    expect(JSON.stringify((await server.call("GET", "configuration")).json().problems)).toContain(
      "served without that protection",
    );
    expect((await server.ask("GET", "/readyz", { login: null })).status).toBe(200);
  });
});

describe("an ineffective key", () => {
  it("is reported in the response, in the status and in the health from then on", async () => {
    const server = await start();
    expect((await health(server)).status).toBe(200);
    const put = await server.ask("PUT", "/configuration", { body: { [syslog]: true } });
    expect(put.status).toBe(200);
    expect(put.json().warnings).toEqual([expect.stringContaining(`${syslog}: asks for`)]);
    expect(await warnings(server)).toContain(syslog);
    const told = await health(server);
    expect([told.status, told.json().color]).toEqual([500, "YELLOW"]);
    const off = await server.ask("PUT", "/configuration", { body: { [syslog]: false } });
    expect(off.json().warnings).toEqual([]);
    expect((await health(server)).status).toBe(200);
  });

  it("is reported beside all other health checks", async () => {
    const server = await start(`${syslog} = true`, "endpoint.health.dependency_check = true");
    const { color, checks } = (await health(server)).json();
    expect(color).toBe("YELLOW");
    expect(checks.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["configuration", "source"]),
    );
  });

  it("is a misspelt key, but no key of other software", async () => {
    const server = await start("max_pixls = 5", "our.own.key = 1");
    expect(await warnings(server)).toContain("our.own.key: there is no such key");
    const { message } = (await health(server)).json();
    expect(message).toContain("max_pixls");
    expect(message).not.toContain("our.own.key");
  });
});

import { request } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { haveServed, isThere, type ServerProcess, startProcess, until } from "./server.ts";

vi.setConfig({ testTimeout: 90_000 });

const running: ServerProcess[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.remove();
});

const start = async (): Promise<ServerProcess> => {
  const server = await startProcess(async () => {}, {
    "http.workers": 2,
    "endpoint.admin.enabled": "true",
    "endpoint.admin.secret": "sesame",
    "endpoint.api.change_file_only_keys": "true",
  });
  running.push(server);
  await haveServed(server, 2);
  return server;
};

interface Told {
  readonly status: number;
  readonly cookie: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect, and fail where it is not there
  readonly body: any;
}

/** Each over a connection of its own, so that workers take turns. */
const ask = (
  { base }: ServerProcess,
  method: string,
  { headers = {}, body, path = "session" }: Asking = {},
): Promise<Told> =>
  new Promise((resolve, reject) => {
    const asking = request(`${base}/admin/api/${path}`, {
      method,
      agent: false,
      headers: { "content-type": "application/json", ...headers },
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
        resolve({
          status: response.statusCode ?? 0,
          cookie: String(response.headers["set-cookie"]?.[0] ?? "").split(";")[0] ?? "",
          body: text === "" ? undefined : JSON.parse(text),
        });
      });
    });
    asking.end(body && JSON.stringify(body));
  });

interface Asking {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const logIn = async (server: ServerProcess, secret = "sesame") => {
  const told = await ask(server, "POST", { body: { username: "admin", secret } });
  expect(told.status).toBe(200);
  return { cookie: told.cookie, "x-vitrine-token": String(told.body.token) };
};

/** The statuses of many requests, which reach each worker in turn. */
const statuses = async (
  server: ServerProcess,
  headers: Readonly<Record<string, string>>,
): Promise<ReadonlySet<number>> => {
  const seen = new Set<number>();
  for (let n = 0; n < 6; n++) seen.add((await ask(server, "GET", { headers })).status);
  return seen;
};

describe("a session started at one worker", () => {
  it("is valid at the other, outlives both, and ends at both", async () => {
    const server = await start();
    const headers = await logIn(server);
    expect(await statuses(server, headers)).toEqual(new Set([200]));

    const before = server.workers();
    expect(before).toHaveLength(2);
    for (const pid of before) {
      process.kill(pid, "SIGKILL");
      await until(() => !isThere(pid) && server.workers().length === 2);
    }
    expect(await statuses(server, headers)).toEqual(new Set([200]));

    expect((await ask(server, "DELETE", { headers })).status).toBe(204);
    expect(await statuses(server, headers)).toEqual(new Set([401]));
  });

  it("ends at both when one changes the password", async () => {
    const server = await start();
    const headers = await logIn(server);
    const put = await ask(server, "PUT", {
      path: "configuration",
      headers,
      body: { "endpoint.admin.secret": "another" },
    });
    expect(put.body).toMatchObject({ ok: true, written: true });
    expect(await statuses(server, headers)).toEqual(new Set([401]));
    expect(await statuses(server, await logIn(server, "another"))).toEqual(new Set([200]));
  });
});

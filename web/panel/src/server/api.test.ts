import { expect, test } from "vitest";
import { createApi, RequestError } from "./api.ts";

interface Sent {
  readonly url: string;
  readonly request: RequestInit;
}

/** An API with a scripted server, and the requests it received. */
const apiAnswering = (answer: () => Promise<Response>) => {
  const sent: Sent[] = [];
  let logouts = 0;
  const api = createApi({
    base: "https://example.org/pictures/admin/",
    token: () => "the token",
    onLogout: () => {
      logouts++;
    },
    fetch: async (url, request = {}) => {
      sent.push({ url: String(url), request });
      return answer();
    },
  });
  return { api, sent, logouts: () => logouts };
};

const json =
  (status: number, body: unknown, headers = {}) =>
  async () =>
    new Response(JSON.stringify(body), { status, headers });

const refusal = async (asked: Promise<unknown>): Promise<RequestError> => {
  const error: unknown = await asked.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RequestError);
  return error as RequestError;
};

test("requests below the page's address, and sends the token with changes", async () => {
  const { api, sent } = apiAnswering(json(200, { version: "1" }));
  expect(await api("status")).toEqual({ version: "1" });
  await api("tasks", { method: "POST", body: { verb: "PurgeCache" } });
  expect(sent.map(({ url }) => url)).toEqual([
    "https://example.org/pictures/admin/api/status",
    "https://example.org/pictures/admin/api/tasks",
  ]);
  expect(sent[0]?.request.headers).not.toHaveProperty("x-vitrine-token");
  expect(sent[1]?.request.headers).toMatchObject({
    "x-vitrine-token": "the token",
    "content-type": "application/json",
  });
  expect(sent[1]?.request.body).toBe('{"verb":"PurgeCache"}');
});

test("reports the server's message, and when to retry", async () => {
  const told = await refusal(
    apiAnswering(json(429, { detail: "Too many attempts.", retryAfter: 7 })).api("session"),
  );
  expect(told).toMatchObject({ message: "Too many attempts.", status: 429, retryAfter: 7 });
  const header = await refusal(apiAnswering(json(503, {}, { "retry-after": "3" })).api("status"));
  expect(header).toMatchObject({ message: "The server answered 503.", retryAfter: 3 });
});

test("detects that the session has ended, but not during a login", async () => {
  const over = apiAnswering(json(401, { detail: "Nobody is logged in." }));
  await refusal(over.api("status"));
  expect(over.logouts()).toBe(1);
  await refusal(over.api("session", { method: "POST", body: {} }));
  expect(over.logouts()).toBe(1);
});

test("accepts a response without a body", async () => {
  const { api } = apiAnswering(async () => new Response(null, { status: 204 }));
  expect(await api("session", { method: "DELETE" })).toBeUndefined();
});

test("reports that the server is unreachable, and stops when aborted", async () => {
  const gone = apiAnswering(() => Promise.reject(new TypeError("fetch failed")));
  expect(await refusal(gone.api("status"))).toMatchObject({
    message: "The server cannot be reached.",
    status: 0,
  });
  const ending = new AbortController();
  ending.abort(new Error("no longer wanted"));
  await expect(gone.api("status", { signal: ending.signal })).rejects.toThrow("no longer wanted");
});

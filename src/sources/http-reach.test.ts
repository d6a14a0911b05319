import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { remoteSettings } from "../../test/memory-store.ts";
import { type Origin, startOrigin } from "../../test/servers/origin.ts";
import { Config } from "../config/store.ts";
import type { Source } from "../core/source.ts";
import { diagnose } from "./diagnosis.ts";
import { http } from "./http.ts";
import { createRemote } from "./remote/remote.ts";

let origin: Origin;
const sources: Source[] = [];
const never = new AbortController().signal;

beforeAll(async () => {
  origin = await startOrigin();
});
beforeEach(() => {
  origin.fault = () => undefined;
  origin.requests.length = 0;
});
afterAll(async () => {
  for (const source of sources) await source.close?.();
  await origin.close();
});

const make = (prefix: string, values: Readonly<Record<string, unknown>> = {}): Source => {
  const config = new Config({
    "HttpSource.BasicLookupStrategy.url_prefix": prefix,
    ...values,
  });
  const source = http.create(
    config.view(http.keys),
    undefined,
    createRemote(() => remoteSettings),
  );
  sources.push(source);
  return source;
};

/** The problem found with a source. */
const foundIn = async (source: Source): Promise<string> => {
  try {
    return (await source.reach?.(never)) ?? "nothing";
  } catch (error) {
    return diagnose(error).found;
  }
};

describe("reaching a web server", () => {
  it.each(["403", "404", "429"] as const)(
    "succeeds if it responds with %s for the prefix",
    async (status) => {
      origin.fault = () => status;
      expect(await make(`${origin.base}/images/`).reach?.(never)).toBe("there");
      expect(origin.requests.map(({ path }) => path)).toEqual(["/images/"]);
    },
  );

  it("sends the login, and fails if it is rejected", async () => {
    origin.fault = () => "401";
    const source = make(`${origin.base}/images/`, {
      "HttpSource.BasicLookupStrategy.auth.basic.username": "me",
      "HttpSource.BasicLookupStrategy.auth.basic.secret": "word",
    });
    expect(await foundIn(source)).toContain("credentials are refused");
    expect(origin.requests[0]?.headers.authorization).toMatch(/^Basic /);
  });

  it.each([
    ["500", "answers with an error"],
    ["reset", "closes connections"],
    ["circle", "redirects in circles"],
    ["to loopback", "may not read"],
  ] as const)("fails if it responds with %s, and says so", async (fault, found) => {
    origin.fault = () => fault;
    expect(await foundIn(make(`${origin.base}/images/`))).toContain(found);
  });

  it("fails if nothing listens, and if the server does not speak TLS", async () => {
    const other = await startOrigin();
    await other.close();
    expect(await foundIn(make(`${other.base}/`))).toContain("refuses connections");
    const encrypted = origin.base.replace("http:", "https:");
    expect(await foundIn(make(`${encrypted}/`))).toContain("TLS");
  });

  it("cannot be tried without a prefix", () => {
    expect(make("").reach).toBeUndefined();
  });
});

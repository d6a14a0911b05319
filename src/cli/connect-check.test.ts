import { describe, expect, it } from "vitest";
import { ServerError } from "../core/errors.ts";
import type { Source } from "../core/source.ts";
import { connectTo } from "./connect-check.ts";

const never = new AbortController().signal;

const part = (name: string, reach?: Source["reach"]) => ({
  ...{ name, kind: "HttpSource" },
  source: {
    find: async () => Promise.reject(new Error("not asked for")),
    ...(reach ? { reach } : {}),
  },
});

const failing = (code: string, message: string) => async () => {
  throw new ServerError("upstream", "The storage did not answer properly.", {
    cause: Object.assign(new Error(message), { code }),
  });
};

describe("trying sources", () => {
  it("says of each what was found, also where it is empty or cannot be tried", async () => {
    const { reached, unreached } = await connectTo(
      [
        part("source.rules.1", async () => "there"),
        part("source.rules.2", async () => "empty"),
        part("source.static"),
      ],
      never,
    );
    expect(unreached).toEqual([]);
    expect(reached).toEqual([
      expect.stringMatching(/^source\.rules\.1 \(HttpSource\): reachable \(\d+ ms\)\.$/),
      expect.stringMatching(/^source\.rules\.2 \(HttpSource\): reachable, but empty/),
      expect.stringContaining("source.static (HttpSource): not tried"),
    ]);
  });

  it("says why one cannot be reached and what to do, without passwords and signatures", async () => {
    const { unreached } = await connectTo(
      [
        part("a", failing("ENOTFOUND", "getaddrinfo ENOTFOUND images.example")),
        part("b", failing("ECONNREFUSED", "GET https://me:word@b.example/?sig=abc failed")),
      ],
      never,
    );
    expect(unreached[0]).toMatch(
      /^a \(HttpSource\): the name .* \(DNS\)\. Check .*images\.example\)$/,
    );
    expect(unreached[1]).toContain("refuses connections");
    expect(unreached[1]).not.toMatch(/word|abc/);
  });

  it("waits for none of them longer than its deadline, whatever they do with their signal", async () => {
    const { reached, unreached } = await connectTo(
      [part("a", () => new Promise(() => {})), part("b", async () => "there")],
      never,
      50,
    );
    expect(unreached).toEqual([expect.stringContaining("there is no answer in time")]);
    expect(reached).toHaveLength(1);
  });
});

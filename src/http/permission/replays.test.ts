import { EventEmitter } from "node:events";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { Config } from "../../config/store.ts";
import type { KnownImage } from "../../service/known.ts";
import { Shutdown } from "../connection/shutdown.ts";
import type { HttpDeps } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";
import { parseTarget } from "../request/target.ts";
import { Replays } from "./replays.ts";

const body = Uint8Array.from([1, 2, 3]);
const picture = { image: {} as KnownImage, identifier: "a", key: "k" };

const house = () => {
  const ending = new Shutdown();
  const deps = {
    config: new Config(),
    images: { cachedNow: () => body, isCached: () => true, cachedName: () => "image/a/b" },
    access: () => {},
    ending,
  } as unknown as HttpDeps;
  const replays = new Replays(deps);
  const asked = (url: string): IncomingMessage =>
    Object.assign(new IncomingMessage(new Socket()), {
      method: "GET",
      url,
      headers: { host: "a" },
      rawHeaders: ["Host", "a"],
      httpVersion: "1.1",
      httpVersionMajor: 1,
    });
  const keep = (url: string): void =>
    replays.keep(
      {
        request: { raw: asked(url), originalUrl: url },
        reply: { getHeaders: () => ({ etag: '"1"' }) },
        target: parseTarget(url),
        address: { base: "http://a" },
      } as unknown as Exchange,
      picture,
    );
  /** The body of the replayed response, if there is one. */
  const answer = (url: string): unknown => {
    let sent: unknown;
    const response = Object.assign(new EventEmitter(), {
      writeHead: () => response,
      end: (bytes: unknown) => {
        sent = bytes;
      },
    });
    return replays.answer(asked(url), response as never) === true ? sent : undefined;
  };
  return { ending, keep, answer };
};

describe("stored responses", () => {
  it("are replayed for identical requests only", () => {
    const { keep, answer } = house();
    keep("/one");
    expect(answer("/one")).toBe(body);
    expect(answer("/two")).toBeUndefined();
  });

  it("are bounded in number: the least recently used are evicted", () => {
    const { keep, answer } = house();
    for (let n = 0; n < 8_192; n++) keep(`/${n}`);
    expect(answer("/0")).toBe(body);
    keep("/one more");
    expect(answer("/1")).toBeUndefined();
    expect(answer("/0")).toBe(body);
    expect(answer("/one more")).toBe(body);
  });

  it("are not replayed during shutdown, so that connections can close", () => {
    const { ending, keep, answer } = house();
    keep("/one");
    ending.begin();
    expect(answer("/one")).toBeUndefined();
  });
});

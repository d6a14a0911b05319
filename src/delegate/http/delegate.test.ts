import { describe, expect, it } from "vitest";
import {
  authorize,
  connect,
  methods,
  secret,
  serve,
  sessionOf,
  until,
} from "../../../test/http-delegates.ts";
import type { Reply } from "../../../test/servers/http-delegate.ts";
import { type Logger, silent } from "../../core/log.ts";
import { decision } from "../answers.ts";
import { signatureOf } from "./signature.ts";

describe("a delegate over HTTP", () => {
  it("is sent the context and the argument, signed", async () => {
    const server = await serve(
      () => ({ json: { identifier: "b" } }),
      () => methods("deserialize_meta_identifier"),
    );
    const made = connect(server.url);
    await made.service.start();
    const session = sessionOf(made, { cookies: { reader: "ann" } });
    const any = { expected: "anything", read: (answer: unknown) => answer };
    expect(await session.call("deserialize_meta_identifier", any, "a;2")).toEqual({
      identifier: "b",
    });
    const [request] = server.of("deserialize_meta_identifier");
    const { context, argument } = JSON.parse(request?.body ?? "");
    expect(argument).toBe("a;2");
    expect(context).toMatchObject({ cookies: { reader: "ann" }, identifier: null });
    expect(Object.keys(context)).toHaveLength(14);
    expect(request).toMatchObject({
      method: "POST",
      path: "/rules/deserialize_meta_identifier",
      headers: { "content-type": "application/json" },
    });
    for (const one of server.seen) {
      const { "vitrine-signature": signature = "" } = one.headers;
      const time = Number(/^t=(\d+),/.exec(`${signature}`)?.[1]);
      expect(signature).toBe(signatureOf(one, secret, time * 1_000));
      expect(Math.abs(Date.now() / 1_000 - time)).toBeLessThan(60);
    }
  });

  it("is sent later additions to the context, with bytes in base64", async () => {
    const server = await serve(() => ({ json: true }));
    const made = connect(server.url);
    await made.service.start();
    const session = sessionOf(made);
    await session.call("pre_authorize", decision);
    session.learn({ page_count: 3, metadata: { icc: new Uint8Array([1, 2]) } });
    await session.call("pre_authorize", decision);
    const [first, second] = server.of("pre_authorize").map(({ body }) => JSON.parse(body).context);
    expect([first.page_count, second.page_count, second.metadata]).toEqual([
      null,
      3,
      { icc: "AQI=" },
    ]);
  });

  it("has the methods that it declares", async () => {
    const made = connect((await serve(() => ({ json: true }))).url);
    await made.service.start();
    const session = sessionOf(made);
    expect([session.has("pre_authorize"), session.has("redactions")]).toEqual([true, false]);
    expect(() => session.call("redactions", decision)).toThrow(
      "The delegate's method redactions is not there, but the configuration asks for it (request r-1 for 'a.tif').",
    );
  });

  it("notices changed methods", async () => {
    let document = methods("pre_authorize");
    const server = await serve(
      () => ({ json: true }),
      () => document,
    );
    const made = connect(server.url);
    await made.service.start();
    const session = sessionOf(made);
    document = methods("pre_authorize", "redactions");
    await until(() => session.has("redactions"));
    // A mistake does not remove the working one.
    document = { json: { methods: {} } };
    const before = server.of("methods").length;
    await until(() => server.of("methods").length > before + 1);
    expect(session.has("redactions")).toBe(true);
  });

  it("is aborted with the request", async () => {
    const server = await serve(() => () => undefined);
    const made = connect(server.url);
    await made.service.start();
    const leaving = new AbortController();
    const call = sessionOf(made, {}, leaving.signal).call("pre_authorize", decision);
    await until(() => server.of("pre_authorize").length > 0);
    leaving.abort(new Error("left"));
    await expect(call).rejects.toThrow("left");
  });
});

const json = { "content-type": "application/json" };

describe("a faulty delegate over HTTP", () => {
  const wrong: readonly (readonly [string, Reply, string])[] = [
    ["hangs", () => undefined, "did not answer within 0.3 s"],
    [
      "hangs within its answer",
      (to) => void to.writeHead(200, json).write("tr"),
      "did not answer within 0.3 s",
    ],
    ["answers 500", (to) => void to.writeHead(500, json).end("true"), "but answered with 500"],
    ["answers 204", (to) => void to.writeHead(204).end(), "but answered with 204"],
    [
      "redirects",
      (to) => void to.writeHead(302, { location: "/rules/methods" }).end(),
      "answered with a redirect (status 302), and none is followed",
    ],
    ["answers no JSON", (to) => void to.writeHead(200, json).end("true!"), "other than JSON"],
    ["answers nothing", (to) => void to.writeHead(200, json).end(), "other than JSON"],
    [
      "answers no UTF-8",
      (to) => void to.writeHead(200, json).end(Buffer.from([0x22, 0xff, 0x22])),
      "other than JSON in UTF-8",
    ],
    [
      "answers HTML",
      (to) => void to.writeHead(200, { "content-type": "text/html" }).end("true"),
      "should answer application/json, but answered text/html",
    ],
    [
      "answers too much",
      (to) => void to.writeHead(200, json).end(`"${"x".repeat(1_000_000)}"`),
      "more than the 1000000 bytes",
    ],
    ["hangs up", (to) => void to.destroy(), "could not be asked"],
    ["answers null", { json: null }, "should answer true, false, or an object"],
    ["answers a text", { json: "true" }, "should answer true, false, or an object"],
    ["answers 1", { json: 1 }, "should answer true, false, or an object"],
    ["answers 200 as text", { json: { status_code: "200" } }, "but answered { status_code: '200'"],
  ];

  it.each(wrong)("never grants access: it %s", async (_, reply, says) => {
    const server = await serve(() => reply);
    const made = connect(server.url, { "delegate.http.timeout": 0.3 });
    await made.service.start();
    const call = authorize(made);
    await expect(call).rejects.toMatchObject({ failure: "internal" });
    await expect(call).rejects.toThrow(says);
    await expect(call).rejects.toThrow(/^The delegate's method pre_authorize .*for 'a\.tif'/);
  });

  it("is retried once where a reused connection was closed", async () => {
    let isFirst = true;
    const server = await serve(() => {
      if (!isFirst) return { json: true };
      isFirst = false;
      return (to) => void to.destroy();
    });
    const made = connect(server.url);
    await made.service.start();
    expect(await authorize(made)).toEqual({ kind: "allow" });
    expect(server.of("pre_authorize")).toHaveLength(2);
  });
});

describe("an unavailable delegate over HTTP", () => {
  const logged = (): { readonly log: Logger; readonly entries: unknown[] } => {
    const entries: unknown[] = [];
    const note = (message: string, fields?: unknown) => void entries.push([message, fields]);
    return { log: { ...silent, info: note, warn: note, error: note }, entries };
  };

  it("has all methods, which fail at once, until it has declared them", async () => {
    const gone = await serve(() => ({ json: true }));
    await gone.close();
    const { log, entries } = logged();
    const made = connect(gone.url, {}, log);
    await made.service.start();
    const session = sessionOf(made);
    expect([session.has("redactions"), session.has("pre_authorize")]).toEqual([true, true]);
    expect(() => session.call("pre_authorize", decision)).toThrow(
      /was not called, since the delegate's methods are not known yet: it could not be asked: .*ECONNREFUSED/,
    );
    expect(made.state().breaker).not.toBe("closed");
    await expect(made.reach(AbortSignal.timeout(5_000))).rejects.toMatchObject({
      failure: "upstream",
    });

    await serve(() => ({ json: true }), undefined, gone.port);
    await until(() => made.state().breaker === "closed");
    expect(await authorize(made)).toEqual({ kind: "allow" });
    expect(session.has("redactions")).toBe(false);
    expect(entries.map((entry) => (entry as readonly unknown[])[0])).toEqual([
      "The delegate's methods cannot be determined: requests for images fail until they can",
      "The delegate answers",
    ]);
  });

  it.each([
    ["another document", { json: { rules: [] } } as Reply],
    ["a method that nobody knows", { json: { methods: { pre_authorise: {} } } } as Reply],
    ["an error", ((to) => void to.writeHead(404).end()) as Reply],
  ])("is unavailable with %s", async (_, document) => {
    const made = connect(
      (
        await serve(
          () => ({ json: true }),
          () => document,
        )
      ).url,
    );
    await made.service.start();
    expect(() => sessionOf(made).call("pre_authorize", decision)).toThrow("was not called");
  });

  it("is backed off after repeated failures, and asked for its methods before it is called again", async () => {
    let isGone = false;
    const server = await serve(
      () => (isGone ? (to) => void to.writeHead(503).end() : { json: true }),
      () => (isGone ? (to) => void to.writeHead(503).end() : methods("pre_authorize")),
    );
    const made = connect(server.url);
    await made.service.start();
    isGone = true;
    for (let n = 0; n < 10; n++) await expect(authorize(made)).rejects.toThrow();
    expect(server.of("pre_authorize").length).toBeLessThanOrEqual(5);
    await expect(authorize(made)).rejects.toThrow(
      "was not called, since the delegate keeps failing",
    );
    isGone = false;
    await until(() => made.state().breaker === "closed");
    expect(await authorize(made)).toEqual({ kind: "allow" });
    expect(made.state().failures).toBeGreaterThanOrEqual(5);
  });

  it("is not backed off because of one image's errors", async () => {
    const server = await serve(({ body }) =>
      body.includes("bad") ? (to) => void to.writeHead(500).end() : { json: true },
    );
    const made = connect(server.url);
    await made.service.start();
    for (let n = 0; n < 10; n++)
      await expect(authorize(made, { identifier: "bad" })).rejects.toThrow("answered with 500");
    expect(await authorize(made, { identifier: "good" })).toEqual({ kind: "allow" });
  });
});

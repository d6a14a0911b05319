import { describe, expect, it } from "vitest";
import {
  authorize,
  connect,
  methods,
  serve,
  sessionOf,
  until,
} from "../../../test/http-delegates.ts";
import type { DelegateMethod } from "../../core/delegate.ts";
import { decision, informationKeys } from "../answers.ts";

describe("cached answers", () => {
  const keeping = async (context: readonly string[] | null, control = "max-age=60") => {
    const server = await serve(
      ({ body }) => ({
        json: { status_code: JSON.parse(body).context.cookies?.reader === "ann" ? 200 : 404 },
        headers: { "cache-control": control },
      }),
      () => ({ json: { methods: { pre_authorize: { context }, authorize: { context } } } }),
    );
    const made = connect(server.url);
    await made.service.start();
    return { made, asked: () => server.of("pre_authorize").length };
  };
  const ann = { identifier: "a", client_ip: "10.0.0.1", cookies: { reader: "ann", track: "1" } };
  const bob = { identifier: "a", client_ip: "10.0.0.1", cookies: { reader: "bob", track: "1" } };

  it("are returned for identical calls", async () => {
    const { made, asked } = await keeping(["identifier", "cookies.reader"]);
    const allow = { kind: "allow" };
    const deny = { kind: "deny", status: 404 };
    expect(await authorize(made, ann)).toEqual(allow);
    expect(await authorize(made, bob)).toEqual(deny);
    expect(asked()).toBe(2);
    expect(sessionOf(made, { ...ann, client_ip: "::1" }).call("pre_authorize", decision)).toEqual(
      allow,
    );
    expect(await authorize(made, { ...bob, cookies: { reader: "bob" } })).toEqual(deny);
    expect(asked()).toBe(2);
    expect(await authorize(made, { ...ann, identifier: "b" })).toEqual(allow);
    expect(asked()).toBe(3);
  });

  it("are not returned for other methods", async () => {
    const { made } = await keeping(["identifier"]);
    await authorize(made, ann);
    expect(sessionOf(made, ann).call("pre_authorize", decision)).toEqual({
      kind: "deny",
      status: 404,
    });
    const other = sessionOf(made, ann).call("authorize", decision);
    expect(other).toBeInstanceOf(Promise);
    await other;
  });

  it("depend on the whole context unless the delegate chose its inputs", async () => {
    const { made, asked } = await keeping(null);
    await authorize(made, ann);
    await authorize(made, { ...ann, client_ip: "10.0.0.2" });
    await authorize(made, ann);
    expect(asked()).toBe(2);
  });

  it("depend on every cookie the delegate could see: a client that drops a cookie gets no one else's answer", async () => {
    const { made, asked } = await keeping(["identifier"]);
    expect(await authorize(made, ann)).toEqual({ kind: "deny", status: 404 });
    expect(await authorize(made, bob)).toEqual({ kind: "deny", status: 404 });
    expect(asked()).toBe(1);
  });

  it.each(["no-store", "private, max-age=60", "max-age=0"])(
    "are not used with %s",
    async (control) => {
      const { made, asked } = await keeping(["identifier"], control);
      await authorize(made, ann);
      await authorize(made, ann);
      expect(asked()).toBe(2);
    },
  );

  it("are cleared when the methods change", async () => {
    let names: readonly DelegateMethod[] = ["pre_authorize"];
    const server = await serve(
      () => ({ json: true, headers: { "cache-control": "max-age=60" } }),
      () => methods(...names),
    );
    const made = connect(server.url);
    await made.service.start();
    await authorize(made);
    await authorize(made);
    expect(server.of("pre_authorize")).toHaveLength(1);
    names = ["pre_authorize", "authorize"];
    await until(() => made.service.methods?.size === 2);
    await authorize(made);
    expect(server.of("pre_authorize")).toHaveLength(2);
  });

  it("are separate values per request, with one call for concurrent requests", async () => {
    const server = await serve(
      () => ({ json: { service: [{ id: "x" }] } }),
      () => methods("extra_iiif3_information_response_keys"),
    );
    const made = connect(server.url);
    await made.service.start();
    const name = "extra_iiif3_information_response_keys";
    const [one, other] = await Promise.all([
      sessionOf(made).call(name, informationKeys),
      sessionOf(made).call(name, informationKeys),
    ]);
    expect(server.of(name)).toHaveLength(1);
    expect(one).toEqual(other);
    expect(one["service"]).not.toBe(other["service"]);
  });
});

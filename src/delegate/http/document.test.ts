import { describe, expect, it } from "vitest";
import { contextOf } from "../context.ts";
import { chosenContext, readDocument } from "./document.ts";

const read = (methods: unknown) => readDocument({ methods });

describe("what a delegate says of itself", () => {
  it("is its methods, and what each is sent", () => {
    const methods = read({
      authorize: {},
      redactions: { context: null },
      pre_authorize: { context: ["identifier", "cookies.a.b"] },
    });
    expect([...methods]).toEqual([
      ["authorize", "all"],
      ["redactions", "all"],
      ["pre_authorize", [{ key: "identifier" }, { key: "cookies", name: "a.b" }]],
    ]);
  });

  // A rule that is never asked protects nothing: anything that looks like a mistake is rejected.
  it.each([
    [undefined, "expected an object with methods"],
    [[], "expected an object with methods"],
    [{}, "expected at least one of the methods"],
    [{ pre_authorise: {} }, "Is pre_authorize meant?"],
    [{ preAuthorize: {} }, "Is pre_authorize meant?"],
    [{ constructor: {} }, "there is no method"],
    [{ authorize: true }, "methods.authorize: expected an object"],
    [{ authorize: { context: "identifier" } }, "expected a list"],
    [{ authorize: { context: ["identifer"] } }, "expected keys of the context"],
    [{ authorize: { context: ["identifier.x"] } }, "expected keys of the context"],
    [{ authorize: { context: ["cookies."] } }, "expected keys of the context"],
    [{ authorize: { context: ["toString"] } }, "expected keys of the context"],
    [{ authorize: { context: [1] } }, "expected keys of the context"],
  ])("is refused where it is wrong: %j", (methods, says) => {
    expect(() => read(methods)).toThrow(says);
  });
});

describe("the context that a method is sent", () => {
  const context = contextOf({
    identifier: "a",
    cookies: { reader: "ann", other: "x" },
    request_headers: { "X-User": "1", accept: "*/*", "x-user": "2" },
  });
  const chosen = (...paths: readonly string[]) => {
    const choice = read({ authorize: { context: paths } }).get("authorize") ?? "all";
    return JSON.stringify(chosenContext(context, choice));
  };

  it("is all of it, unless the delegate chose", () => {
    expect(Object.keys(chosenContext(context, "all"))).toEqual(Object.keys(context));
    expect(chosen()).toBe("{}");
  });

  it("has nothing but what was chosen", () => {
    expect(chosen("identifier", "cookies.reader")).toBe(
      '{"cookies":{"reader":"ann"},"identifier":"a"}',
    );
    expect(chosen("cookies.none", "page_number")).toBe('{"cookies":{},"page_number":null}');
    expect(chosen("cookies.other", "cookies")).toBe('{"cookies":{"reader":"ann","other":"x"}}');
  });

  it("has the last of repeated headers, by the name that was chosen", () => {
    expect(chosen("request_headers.X-USER")).toBe('{"request_headers":{"X-USER":"2"}}');
  });

  it("has nothing that the client did not send", () => {
    expect(chosen("cookies.__proto__", "cookies.constructor")).toBe('{"cookies":{}}');
  });
});

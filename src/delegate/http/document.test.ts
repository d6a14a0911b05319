import { describe, expect, it } from "vitest";
import { contextOf } from "../context.ts";
import { chosenContext, readDocument } from "./document.ts";

const read = (methods: unknown) => readDocument({ methods });

describe("a delegate's description", () => {
  it("has its methods, and the inputs of each", () => {
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
  ])("is refused where it is invalid: %j", (methods, says) => {
    expect(() => read(methods)).toThrow(says);
  });
});

describe("the context sent to a method", () => {
  const context = contextOf({
    identifier: "a",
    cookies: { reader: "ann", other: "x" },
    request_headers: { "X-User": "1", accept: "*/*", "x-user": "2" },
  });
  const chosen = (...paths: readonly string[]) => {
    const choice = read({ authorize: { context: paths } }).get("authorize") ?? "all";
    return JSON.stringify(chosenContext(context, choice));
  };

  it("is complete, unless the delegate chose its inputs", () => {
    expect(Object.keys(chosenContext(context, "all"))).toEqual(Object.keys(context));
    expect(chosen()).toBe("{}");
  });

  it("has nothing but the chosen inputs", () => {
    expect(chosen("identifier", "cookies.reader")).toBe(
      '{"cookies":{"reader":"ann"},"identifier":"a"}',
    );
    expect(chosen("cookies.none", "page_number")).toBe('{"cookies":{},"page_number":null}');
    expect(chosen("cookies.other", "cookies")).toBe('{"cookies":{"reader":"ann","other":"x"}}');
  });

  it("has the last of repeated headers, under the chosen name", () => {
    expect(chosen("request_headers.X-USER")).toBe('{"request_headers":{"X-USER":"2"}}');
  });

  it("has nothing that the client did not send", () => {
    expect(chosen("cookies.__proto__", "cookies.constructor")).toBe('{"cookies":{}}');
  });
});

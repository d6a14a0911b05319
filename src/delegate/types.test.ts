import { expect, test } from "vitest";
import { scriptOf } from "./script/script.ts";
import type { Context, Delegate } from "./types.ts";

test("both spellings are typed, with options and context", () => {
  const delegate = {
    preAuthorize: (_options, { cookies }) => (cookies["a"] ? true : { status_code: 403 }),
    authorize: async ({ signal }) => !signal.aborted,
    deserializeMetaIdentifier: (text) => ({ identifier: text }),
    extraIiif3InformationResponseKeys: () => ({ rights: "x" }),
    httpsource_resource_info: () => ({ uri: "https://example.org/a" }),
    redactions: () => [{ x: 0, y: 0, width: 1, height: 1 }],
    metadata: async () => null,
  } satisfies Delegate;
  expect(scriptOf({ default: delegate }).methods.size).toBe(7);
});

test("wrong answers and changes of the context do not compile", () => {
  const change = (context: Context): void => {
    // @ts-expect-error The context cannot be changed.
    context.identifier = "a";
  };
  // @ts-expect-error Not a decision.
  const wrong: Delegate = { authorize: () => "yes" };
  expect([typeof change, typeof wrong.authorize]).toEqual(["function", "function"]);
});

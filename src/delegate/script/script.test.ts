import { expect, test } from "vitest";
import { methodNamed, similarMethod } from "./methods.ts";
import { scriptOf } from "./script.ts";

test.each([
  ["pre_authorize", "pre_authorize"],
  ["preAuthorize", "pre_authorize"],
  ["extraIiif3InformationResponseKeys", "extra_iiif3_information_response_keys"],
  ["extraIIIF3InformationResponseKeys", "extra_iiif3_information_response_keys"],
  ["httpsourceResourceInfo", "httpsource_resource_info"],
  ["httpSourceResourceInfo", "httpsource_resource_info"],
  ["autorize", undefined],
])("%s is recognised as method %s", (name, method) => {
  expect(methodNamed(name)).toBe(method);
});

test("a misspelt method is recognised as similar", () => {
  expect(similarMethod("autorize")).toBe("authorize");
  expect(similarMethod("preAuthorise")).toBe("pre_authorize");
  expect(similarMethod("connect")).toBeUndefined();
});

class Both {
  context: unknown;
  pre_authorize(): boolean {
    return true;
  }
  authorize = (): boolean => false;
  autorise(): boolean {
    return true;
  }
}
class Child extends Both {
  redactions(): readonly unknown[] {
    return [];
  }
}

test.each([
  [{ default: Both }],
  [{ CustomDelegate: Both }],
  [{ default: Both, CustomDelegate: Both }],
  [{ default: { CustomDelegate: Both } }],
  [{ default: { __esModule: true, default: Both } }],
])("methods and fields of a class are found: %j", (exported) => {
  const { methods, warnings } = scriptOf(exported);
  expect([...methods]).toEqual(
    expect.arrayContaining([
      ["pre_authorize", "pre_authorize"],
      ["authorize", "authorize"],
    ]),
  );
  expect(warnings).toEqual(["The delegate's method autorise is never called. Is authorize meant?"]);
});

test("inherited methods are found", () => {
  expect([...scriptOf({ default: Child }).methods.keys()].sort()).toEqual([
    "authorize",
    "pre_authorize",
    "redactions",
  ]);
});

test("every request has its own object", () => {
  const shared = Object.freeze({ context: 1, authorize: () => true });
  for (const exported of [{ default: Both }, { default: shared }]) {
    const { create } = scriptOf(exported);
    const [one, other] = [create(), create()] as { context: unknown }[];
    if (one) one.context = "one";
    expect(other?.context).toBeNull();
  }
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{}, "exported as default or as CustomDelegate, but neither is exported"],
  [{ authorize: () => true }, "authorize should be methods of it, not exports of their own"],
  [{ default: 3 }, "got 3"],
  [{ default: () => true }, "got a function"],
  [{ default: Both, CustomDelegate: Child }, "are not the same"],
  [{ default: {} }, "expected at least one of the methods deserialize_meta_identifier,"],
  [{ default: { authorize: true } }, "authorize: expected a method, got true"],
  [
    { default: { pre_authorize() {}, preAuthorize() {} } },
    "pre_authorize: expected one method, but there are pre_authorize and preAuthorize",
  ],
  [
    {
      default: class extends Both {
        static authorize() {}
      },
    },
    "authorize: expected a method of the delegate, but it is static",
  ],
  [
    {
      default: class {
        constructor() {
          throw new Error("no database");
        }
      },
    },
    "its constructor threw no database",
  ],
])("%j is refused", (exported, says) => {
  expect(() => scriptOf(exported)).toThrow(says);
});

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { assess } from "./assess.ts";
import { readChain } from "./chain.ts";
import { defineKeys } from "./keys.ts";
import { definitionsOf } from "./layers.ts";
import { missingPartKeys } from "./missing-parts.ts";
import { sorted } from "./problems.ts";

const keys = {
  ...missingPartKeys,
  ...defineKeys({
    "endpoint.iiif.restrict_to_sizes": { type: "boolean", default: false, doc: "" },
    max_scale: { type: "number", default: 1, doc: "" },
    "delegate_script.pathname": { type: "path", default: "", doc: "" },
    "delegate_script.enabled": { type: "boolean", default: false, doc: "" },
  }),
};
const definitions = definitionsOf([{ title: "Test", keys }]);

/** Remarks on a configuration file, its parent, changes at run time and the environment. */
const say = async (
  lines: readonly string[],
  more: {
    readonly parent?: readonly string[];
    readonly runtime?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
) => {
  const folder = await temporaryFolder({
    "v.properties": ["extends = parent.properties", ...lines].join("\n"),
    "parent.properties": (more.parent ?? []).join("\n"),
  });
  const { problems } = assess(definitions, {
    given: {},
    chain: await readChain(join(folder, "v.properties")),
    runtime: new Map(Object.entries(more.runtime ?? {})),
    env: more.env ?? {},
  });
  return sorted(problems);
};

describe("a configuration that requires unavailable protection", () => {
  test.each([
    "auth.basic.enabled = 1",
    "auth.basic.enabled = TRUE",
    "auth.basic.enabled = yes",
    "delegate_script = delegates.rb",
    "resolver.delegate = true",
    "overlays.enabled = true",
    "watermark.enabled = true",
    "redaction.enabled = true",
    "endpoint.public.auth.basic.enabled = true",
    "auth.basic.enabled = true",
    "http.auth.basic = true",
    "endpoint.iiif.2.restrict_to_sizes = true",
  ])("is refused, with the key that overrides the refusal: %s", async (line) => {
    const [key = ""] = line.split(" ");
    const { errors, warnings, notes } = await say([line]);
    expect(errors).toMatchObject([{ key }]);
    expect(errors[0]?.message).toContain(`${key}: asks for `);
    expect(errors[0]?.message).toContain("unsupported_protection = ignore");
    expect(errors[0]?.message).toContain("v.properties:2");
    expect([...warnings, ...notes].filter((other) => other.key === key)).toEqual([]);
  });

  test("is used with a warning where the key says so", async () => {
    const { errors, warnings } = await say([
      "auth.basic.enabled = true",
      "unsupported_protection = ignore",
    ]);
    expect(errors).toEqual([]);
    expect(warnings).toMatchObject([{ key: "auth.basic.enabled", ineffective: true }]);
    expect(warnings[0]?.message).toContain("served without that protection");
  });

  test.each(["", "false", "0", "FALSE", "no", "off"])(
    "does not include one with %j",
    async (value) => {
      const { errors, warnings } = await say([
        `auth.basic.enabled = ${value}`,
        `redaction.enabled = ${value}`,
      ]);
      expect([...errors, ...warnings]).toEqual([]);
    },
  );

  test("is refused wherever it is set: in a parent, the environment or a change at run time", async () => {
    const key = "auth.basic.enabled";
    const on = { AUTH_BASIC_ENABLED: "true" };
    expect((await say([], { parent: [`${key} = true`] })).errors).toHaveLength(1);
    expect((await say([`${key} = false`], { env: on })).errors).toHaveLength(1);
    expect((await say([], { env: on })).errors[0]?.message).toContain(
      "environment variable AUTH_BASIC_ENABLED",
    );
    expect((await say([`${key} = false`], { runtime: { [key]: "true" } })).errors).toHaveLength(1);
  });

  test("counts only values that are not overridden", async () => {
    const key = "auth.basic.enabled";
    const { errors } = await say([`${key} = false`], { parent: [`${key} = true`] });
    expect(errors).toEqual([]);
    const env = { AUTH_BASIC_ENABLED: "false" };
    expect((await say([`${key} = true`], { env })).errors).toEqual([]);
    const blank = { AUTH_BASIC_ENABLED: "" };
    expect((await say([`${key} = true`], { env: blank })).errors).toHaveLength(1);
    expect((await say([`${key} = true`], { runtime: { [key]: "" } })).errors).toEqual([]);
  });

  test("is reported with the current key for a delegate", async () => {
    const { errors } = await say(["delegate_script = delegates.rb"]);
    expect(errors[0]?.message).toContain("use delegate_script.pathname instead");
  });

  test("does not include redactions by a delegate", async () => {
    const old = "redaction.enabled = true";
    expect((await say([old])).errors[0]?.message).toContain("use delegate_script.enabled instead");
    expect((await say([old, "delegate_script.enabled = true"])).errors).toEqual([]);
  });

  test("does not include an old key set beside the current one", async () => {
    const old = "endpoint.iiif.2.restrict_to_sizes = true";
    expect((await say([old])).errors[0]?.message).toContain("use endpoint.iiif.restrict_to_sizes");
    expect((await say([old, "endpoint.iiif.restrict_to_sizes = true"])).errors).toEqual([]);
  });
});

describe("an unavailable feature", () => {
  test.each(["log.application.SyslogAppender.enabled", "log.access.SyslogAppender.enabled"])(
    "causes a warning where it protects nothing: %s",
    async (key) => {
      const { errors, warnings } = await say([`${key} = true`]);
      expect(errors).toEqual([]);
      expect(warnings).toMatchObject([{ key, ineffective: true }]);
      expect((await say([`${key} = false`])).warnings).toEqual([]);
    },
  );

  test("includes a misspelt or renamed key, unless the new one is set too", async () => {
    const { warnings } = await say([
      "max_scal = 2",
      "something.else = 1",
      "allow_upscaling = true",
    ]);
    expect(warnings.map(({ key, ineffective }) => [key, ineffective === true])).toEqual([
      ["max_scal", true],
      ["something.else", false],
      ["allow_upscaling", true],
    ]);
    const both = await say(["allow_upscaling = true", "max_scale = 2"]);
    expect(both.warnings).toMatchObject([{ key: "allow_upscaling" }]);
    expect(both.warnings[0]?.ineffective).toBeUndefined();
  });
});

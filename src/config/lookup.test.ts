import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { findConfig } from "./lookup.ts";

describe("the configuration file", () => {
  test("is that of --config, then VITRINE_CONFIG, then vitrine.properties, then none", async () => {
    const cwd = await temporaryFolder({ "a.conf": "", "b.conf": "", "vitrine.properties": "" });
    const env = { VITRINE_CONFIG: join(cwd, "b.conf") };
    expect(findConfig({ named: "a.conf", env, cwd })).toBe(join(cwd, "a.conf"));
    expect(findConfig({ env, cwd })).toBe(join(cwd, "b.conf"));
    expect(findConfig({ env: { VITRINE_CONFIG: "" }, cwd })).toBe(join(cwd, "vitrine.properties"));
    expect(findConfig({ env: {}, cwd: await temporaryFolder() })).toBeUndefined();
    expect(findConfig({ named: "memory", env, cwd })).toBeUndefined();
  });

  test("must exist when it is named", async () => {
    const cwd = await temporaryFolder({ "vitrine.properties": "" });
    expect(() => findConfig({ named: "gone.conf", env: {}, cwd })).toThrow(
      `Configuration: expected a configuration file at ${cwd}/gone.conf, but there is none.`,
    );
    expect(() => findConfig({ named: cwd, env: {}, cwd })).toThrow("not a regular file");
    expect(() => findConfig({ named: "", env: {}, cwd })).toThrow("got nothing");
    expect(() => findConfig({ env: { VITRINE_CONFIG: "~/gone-for-good.conf" }, cwd })).toThrow(
      /^VITRINE_CONFIG: expected a configuration file at \/.*gone-for-good\.conf, but there is none\.$/,
    );
  });
});

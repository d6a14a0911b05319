import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { rubyInstall, rubyModule } from "./packages.ts";

test("the packages to install are those package.json names", async () => {
  const { devDependencies, peerDependencies, dependencies, optionalDependencies } = JSON.parse(
    await readFile(new URL("../../../package.json", import.meta.url), "utf8"),
  ) as Record<string, Record<string, string>>;
  const specs = rubyInstall.replace("npm install ", "").split(" ");
  expect(specs).toHaveLength(3);
  for (const spec of specs) {
    const [, name = "", version] = /^(.+)@([\d.]+)$/.exec(spec) ?? [];
    expect([devDependencies?.[name], peerDependencies?.[name]], name).toEqual([version, version]);
    // They are as large as all the rest.
    expect({ ...dependencies, ...optionalDependencies }).not.toHaveProperty([name]);
  }
});

test("missing packages are reported with the command that installs them", async () => {
  const missing = (): never => {
    throw new Error("Cannot find module");
  };
  await expect(rubyModule(2 ** 28, missing)).rejects.toMatchObject({
    failure: "malformed",
    message: `delegates in Ruby need packages that are not installed: ${rubyInstall}`,
  });
});

import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const here = new URL("./", import.meta.url);

test("the panel imports nothing of the server but types", async () => {
  const names = (await readdir(here, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const imports: string[] = [];
  for (const name of names) {
    const text = await readFile(new URL(name, here), "utf8");
    for (const [statement] of text.matchAll(/^(?:import|export)\s[^;]*?from\s+"[^"]*";/gm))
      if (statement.includes("../src/")) imports.push(`${name}: ${statement}`);
  }
  expect(imports.length).toBeGreaterThan(5);
  expect(imports.filter((text) => !/: (?:import|export) type /.test(text))).toEqual([]);
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { readModule } from "./modules.ts";

const called = async (path: string): Promise<unknown> => {
  const { exported } = await readModule(path);
  return (exported["default"] as () => unknown)();
};

test("a TypeScript module is loaded with its TypeScript helpers, and all are reloaded", async () => {
  const folder = await temporaryFolder({
    "a.ts": `import { one } from "./lib/one.ts";\nimport { two } from "./lib/two.js";\nimport three from "./three.js";\nimport { four } from "./four";
export default (): string => [one(1), two, three, four].join();`,
    "lib/one.ts": `import type { X } from "nowhere";\nenum E { A = 1 }\nexport const one = (n: number): string => "one" + n + E.A;`,
    "lib/two.ts": `export const two: string = "two";`,
    "three.js": `export default "three";`,
    "four.ts": `export const four = "four" as string;`,
    "package.json": `{ "type": "module" }`,
  });
  const path = join(folder, "a.ts");
  const { files } = await readModule(path);
  expect([...files]).toEqual(
    expect.arrayContaining(
      ["a.ts", "lib/one.ts", "lib/two.ts", "three.js", "four.ts"].map((name) => join(folder, name)),
    ),
  );
  expect(await called(path)).toBe("one11,two,three,four");
  await writeFile(join(folder, "lib/one.ts"), "export const one = (n: number) => n;");
  await writeFile(join(folder, "three.js"), "export default 3;");
  expect(await called(path)).toBe("1,two,3,four");
});

test.each([".cjs", ".js"])(
  "CommonJS in %s is loaded with what it requires, and reloaded",
  async (ending) => {
    const folder = await temporaryFolder({
      [`a${ending}`]: `const h = require("./h.cjs"); module.exports = () => h.h + "a";`,
      "h.cjs": `module.exports = require("./i.cjs");`,
      "i.cjs": `exports.h = "h1";`,
      "package.json": "{}",
    });
    const path = join(folder, `a${ending}`);
    expect(await called(path)).toBe("h1a");
    await writeFile(join(folder, "i.cjs"), `exports.h = "h2";`);
    expect(await called(path)).toBe("h2a");
    const { files } = await readModule(path);
    expect(files).toEqual(expect.arrayContaining([path, join(folder, "i.cjs")]));
  },
);

test("a module can import CommonJS by name, and packages beside it", async () => {
  const folder = await temporaryFolder({
    "a.mjs": `import { h } from "./h.cjs";\nimport p from "p";\nexport default () => h + p;`,
    "h.cjs": `exports.h = "h";`,
    "node_modules/p/index.js": `module.exports = "p";`,
    "node_modules/p/package.json": `{ "name": "p" }`,
  });
  expect(await called(join(folder, "a.mjs"))).toBe("hp");
});

test.each([
  ["a.ts", "const a: string = ;", "a.ts:2:19: Unexpected token"],
  ["a.mjs", "const a = ;", "a.mjs:2: "],
  ["a.ts", "throw new TypeError('no database');", "a.ts:2: no database"],
  ["a.mjs", "import './absent.mjs';", "Cannot find module"],
  ["a.cjs", "throw new TypeError('no database');", "no database"],
])("an error in %s is reported with its line: %s", async (name, line, says) => {
  const folder = await temporaryFolder({ [name]: `// A delegate\n${line}\n` });
  await expect(readModule(join(folder, name))).rejects.toThrow(says);
});

test("an error in a helper names the helper, which stays among the watched files", async () => {
  const folder = await temporaryFolder({
    "a.ts": `import "./h.ts";`,
    "h.ts": "\n\nlet x: = 3",
  });
  const wrong = await readModule(join(folder, "a.ts")).catch((error: unknown) => error);
  expect(wrong).toMatchObject({
    message: expect.stringContaining(`${join(folder, "h.ts")}:3:`),
    files: expect.arrayContaining([join(folder, "h.ts")]),
  });
});

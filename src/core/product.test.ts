import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { productVersion } from "./product.ts";

it("the product's version is that of the package", async () => {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  expect(JSON.parse(text).version).toBe(productVersion);
});

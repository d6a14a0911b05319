import { expect, test } from "vitest";
import { landingKeys } from "./keys.ts";
import { linkedViewers, viewerFaults } from "./viewers.ts";

const key = "endpoint.landing.viewers";
const faultsOf = (entries: readonly string[]) =>
  viewerFaults({ values: { [key]: entries }, names: [], variables: [] });

test("the viewers by default are all usable", () => {
  const { default: entries } = landingKeys[key];
  expect(linkedViewers(entries)).toHaveLength(entries.length);
  expect(linkedViewers(entries)[1]?.label).toBe("Universal Viewer");
  expect(faultsOf(entries)).toEqual([]);
});

test.each([
  "Mirador",
  "https://example.org/?m={manifest}",
  "=https://example.org/?m={manifest}",
  "Mirador=https://example.org/",
  "Mirador=javascript:alert('{manifest}')",
  "Mirador=//example.org/{manifest}",
])("%s is no viewer", (entry) => {
  expect(linkedViewers([entry])).toEqual([]);
  expect(faultsOf([entry])).toEqual([{ key, message: expect.stringContaining(`"${entry}"`) }]);
});

test("there may be none", () => {
  expect(linkedViewers(["none"])).toEqual([]);
  expect(faultsOf(["none"])).toEqual([]);
});

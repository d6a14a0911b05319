import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

interface Locked {
  readonly version?: string;
  readonly optional?: true;
  readonly dev?: true;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  await readFile(new URL("../package-lock.json", import.meta.url), "utf8"),
);
const packages = Object.entries(lock.packages);

/** Where a package is found from a position in the tree: there, or in any folder above. */
const found = (from: string, name: string): string | undefined => {
  const parts = from === "" ? [] : from.split("/node_modules/");
  for (let deep = parts.length; deep >= 0; deep--) {
    const folder = parts.slice(0, deep).join("/node_modules/");
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (lock.packages[place]) return place;
  }
  return undefined;
};

// npm omits packages for other platforms where the registry in use does not have them, and `npm ci`
// then rejects the file.
test("the lock file has an entry for every package another one asks for, on any machine", () => {
  const missing = packages.flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => found(place, name) === undefined)
      .map((name) => `${name} for ${place}`),
  );
  expect(packages.length).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});

test("no package needs a newer Node than 20.19", () => {
  const newer = packages.filter(([, { engines }]) => {
    const lowest = [...(engines?.node ?? "").matchAll(/(?:^|\|\|)\s*[\^~>=v\s]*(\d+)/g)];
    return lowest.length > 0 && lowest.every(([, major]) => Number(major) > 20);
  });
  expect(newer.map(([place]) => place)).toEqual([]);
});

// The build puts what browsers get into dist/.
test.each(["openseadragon", "preact", "@preact/signals", "uplot"])(
  "%s is installed for building only",
  (name) => {
    expect(lock.packages[`node_modules/${name}`]?.dev).toBe(true);
  },
);

import { readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { openLedger } from "./filesystem-ledger.ts";

test("a ledger counts what was added since it was corrected, and nothing before that", async () => {
  const ledger = openLedger(join(await temporaryFolder(), "ledger", "0.bytes"));
  expect(await ledger.add(3)).toBeUndefined();
  await ledger.set(5, undefined);
  expect(await ledger.add(2)).toBe(7);
  await ledger.set(1, 5);
  expect(await ledger.length()).toBe(3);
  await ledger.close();
});

test("a ledger writes through no link in its place", async () => {
  const folder = await temporaryFolder({ other: "other" });
  const path = join(folder, "0.bytes");
  await symlink(join(folder, "other"), path);
  const ledger = openLedger(path);
  await ledger.set(1, undefined);
  expect([await ledger.add(3), await ledger.length()]).toEqual([undefined, undefined]);
  expect(await readFile(join(folder, "other"), "utf8")).toBe("other");
  await ledger.close();
});

test("a closed ledger opens and creates no file, whatever calls follow", async () => {
  const folder = await temporaryFolder();
  const used = openLedger(join(folder, "0.bytes"));
  await used.set(5, undefined);
  await used.close();
  expect([await used.add(2), await used.length()]).toEqual([undefined, undefined]);
  const unused = openLedger(join(folder, "1.bytes"));
  await unused.close();
  await unused.set(5, undefined);
  expect(await readdir(folder)).toEqual(["0.bytes"]);
});

import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { openJournal } from "./journal.ts";

const { signal } = new AbortController();

describe("a journal", () => {
  it("contains what was added for the same work, also after reopening", async () => {
    const path = join(await temporaryFolder(), "journal");
    const journal = await openJournal(path, signal);
    await journal.add(["a\nb", "ü"], "info:v3");
    expect(journal.has("ü", "info:v3")).toBe(true);
    await journal.close();
    const again = await openJournal(path, signal);
    expect([again.size, again.has("a\nb", "info:v3"), again.has("ü", "tiles:v3")]).toEqual([
      2,
      true,
      false,
    ]);
    await again.close();
  });

  it("ignores a truncated line and starts a new one", async () => {
    const path = join(await temporaryFolder(), "journal");
    await writeFile(path, '{"identifier":"a","done":"x"}\n{"identifier":"b","do');
    const journal = await openJournal(path, signal);
    expect([journal.has("a", "x"), journal.has("b", "x")]).toEqual([true, false]);
    await journal.add(["c"], "x");
    await journal.close();
    const again = await openJournal(path, signal);
    expect([again.size, again.has("c", "x")]).toEqual([2, true]);
    await again.close();
  });

  it("does not change other files", async () => {
    const path = join(await temporaryFolder(), "a.txt");
    await appendFile(path, "maps/a.tif\nmaps/b.tif\n");
    await expect(openJournal(path, signal)).rejects.toThrow(/is not a journal/);
    expect(await readFile(path, "utf8")).toBe("maps/a.tif\nmaps/b.tif\n");
  });
});

import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { isCurrent } from "./inspecting.ts";
import { Journal, type JournalEntry } from "./journal.ts";

const subject = { collection: "folder /images" };
const keep = { fresh: false };

const entry = (identifier: string, changes: Partial<JournalEntry> = {}): JournalEntry => ({
  ...{ identifier, version: "1", bytes: 7, decoded: "all", quick: false },
  ...changes,
});

const begun = async () => {
  const path = join(await temporaryFolder(), "cache", "journal.jsonl");
  const journal = await Journal.open(path, subject, keep);
  return { path, journal };
};

describe("a journal", () => {
  it("finds the latest entry of an identifier, also after reopening", async () => {
    const { path, journal } = await begun();
    await journal.append(entry("a", { thumbnail: "x".repeat(9_000) }));
    const first = await journal.append(entry("ä\n\u2028", { bytes: 1 }));
    await journal.append(entry("ä\n\u2028", { bytes: 2 }));
    expect((await journal.read(first)).bytes).toBe(1);
    expect(journal.placeOf("b")).toBeUndefined();
    await journal.close();
    const again = await Journal.open(path, subject, keep);
    expect(await again.read(again.placeOf("ä\n\u2028") ?? -1)).toEqual(
      entry("ä\n\u2028", { bytes: 2 }),
    );
    expect((await again.read(again.placeOf("a") ?? -1)).thumbnail).toHaveLength(9_000);
    await again.close();
  });

  it("finds entries that were appended concurrently", async () => {
    const { journal } = await begun();
    const entries = Array.from({ length: 50 }, (_, at) =>
      entry(`${at}`, { thumbnail: "x".repeat((at * 7_919) % 9_000) }),
    );
    const places = await Promise.all(entries.map((one) => journal.append(one)));
    for (const [at, place] of places.entries())
      expect(await journal.read(place)).toEqual(entries[at]);
    await journal.close();
  });

  it("loses only the line that was being written when the process was killed", async () => {
    const { path, journal } = await begun();
    await journal.append(entry("a"));
    await journal.append(entry("b"));
    await journal.close();
    await appendFile(path, '{"identifier":"c","vers');
    const again = await Journal.open(path, subject, keep);
    const place = await again.append(entry("d"));
    expect(await again.read(place)).toEqual(entry("d"));
    expect(["a", "b", "c"].map((one) => again.placeOf(one) !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
    await again.close();
    expect(
      (await readFile(path, "utf8"))
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((line) => JSON.parse(line)),
    ).toEqual([entry("a"), entry("b"), entry("d")]);
  });

  it("does not overwrite other files or journals of other collections", async () => {
    const { path, journal } = await begun();
    await journal.close();
    await expect(Journal.open(path, { collection: "other" }, keep)).rejects.toThrow(
      /is the journal of folder \/images/,
    );
    const notes = join(await temporaryFolder(), "notes.txt");
    await writeFile(notes, "Dear diary");
    await expect(Journal.open(notes, subject, { fresh: true })).rejects.toThrow(/is not a journal/);
    expect(await readFile(notes, "utf8")).toBe("Dear diary");
  });

  it("discards entries of other versions, and all entries on request", async () => {
    const { path, journal } = await begun();
    await journal.append(entry("a"));
    await journal.close();
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace(/"version":"[^"]+"/, '"version":"0.0.1"'));
    const other = await Journal.open(path, subject, keep);
    expect(other.placeOf("a")).toBeUndefined();
    await other.append(entry("a"));
    await other.close();
    const fresh = await Journal.open(path, subject, { fresh: true });
    expect(fresh.placeOf("a")).toBeUndefined();
    await fresh.close();
  });

  it("is written by one process at a time, and taken over from a dead one", async () => {
    const { path, journal } = await begun();
    await expect(Journal.open(path, subject, keep)).rejects.toMatchObject({ failure: "busy" });
    await journal.close();
    // No process has a number beyond the largest that Linux gives.
    await writeFile(`${path}.lock`, "4194305");
    await (await Journal.open(path, subject, keep)).close();
  });
});

describe("an entry", () => {
  const wanted = { identifier: "a", version: "1", quick: false };

  it("is current for the same version and level of detail", () => {
    expect(isCurrent(entry("a"), wanted)).toBe(true);
    expect(isCurrent(entry("a", { version: "2" }), wanted)).toBe(false);
    expect(isCurrent(entry("a", { quick: true }), wanted)).toBe(false);
    expect(isCurrent(entry("a"), { ...wanted, quick: true })).toBe(true);
  });

  it("of a failure is current only if the bytes alone caused it", () => {
    const reason = "It is so.";
    expect(isCurrent(entry("a", { problem: { kind: "unreadable", reason } }), wanted)).toBe(true);
    for (const kind of ["off", "limit", "denied", "storage"] as const)
      expect(isCurrent(entry("a", { problem: { kind, reason } }), wanted)).toBe(false);
  });
});

import { tmpdir } from "node:os";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type NoteFile, notesOf, openNotes } from "./notes.ts";

let file: NoteFile | undefined;

afterEach(() => {
  file?.close();
  file = undefined;
  vi.useRealTimers();
});

const open = (workers = 2) => {
  file = openNotes(workers);
  const { descriptor } = file;
  const trouble: unknown[] = [];
  const of = (worker: number) => notesOf(descriptor, worker, (error) => trouble.push(error));
  return { file, of, trouble };
};

const note = (name: string, identifier = "maps/a.tif") => ({ name, identifier });

/** The content read back from a note. */
const found = (name: string, identifier?: string, how = {}) => ({
  ...note(name, identifier),
  isAlone: false,
  isGlance: false,
  ...how,
});

describe("notes of workers", () => {
  it("tell what each worker was doing, once", () => {
    const { file, of } = open();
    const [first, second] = [of(1), of(2)];
    first.begin(note("one"));
    const done = first.begin(note("two"));
    second.begin(note("three"));
    done();
    expect(file.take(1)).toEqual([found("one")]);
    expect(file.take(1)).toEqual([]);
    expect(file.take(2)).toEqual([found("three")]);
  });

  it("reuse the same space", () => {
    const { file, of } = open(1);
    const { begin } = of(1);
    for (let n = 0; n < 1_000; n++) begin(note(`done ${n}`))();
    begin(note("last"));
    expect(file.take(1)).toEqual([found("last")]);
  });

  it("are bounded: what exceeds the limit is not recorded, and corrupts nothing", () => {
    const { file, of } = open();
    const begin = of(1).begin;
    const ends = Array.from({ length: 100 }, (_, n) => begin(note(`${n}`)));
    expect(file.take(2)).toEqual([]);
    expect(file.take(1)).toHaveLength(64);
    for (const end of ends) end();
    begin(note("after"));
    expect(file.take(1)).toEqual([found("after")]);
  });

  it("hold names of any characters and length", () => {
    const { file, of } = open(1);
    const { begin } = of(1);
    begin(note("long", "x".repeat(5_000)));
    begin(note("wide", "世".repeat(5_000)));
    begin(note("odd", '"\0\n\\'));
    expect(file.take(1)).toEqual([
      found("long", "x".repeat(100)),
      found("wide", ""),
      found("odd", '"\0\n\\'),
    ]);
  });

  it("tell what was done alone", () => {
    const { file, of } = open();
    const { begin, glance } = of(1);
    glance(note("before"));
    begin(note("one"), { alone: true });
    expect(file.take(1)).toEqual([found("one", undefined, { isAlone: true })]);
  });

  it("tell what was done last on the event loop, for a moment", () => {
    vi.useFakeTimers();
    const { file, of } = open();
    const { begin, glance } = of(1);
    glance(note("one"));
    glance(note("two"));
    begin(note("three"));
    expect(file.take(1)).toEqual([found("three"), found("two", undefined, { isGlance: true })]);
    glance(note("four"));
    vi.advanceTimersByTime(1_000);
    expect(file.take(1)).toEqual([]);
    glance(note("five"));
    expect(file.take(1)).toEqual([found("five", undefined, { isGlance: true })]);
  });

  it("record repeated work on the event loop only once", () => {
    const { file, of } = open();
    const { glance } = of(1);
    const same = note("same");
    glance(same);
    file.take(1);
    for (let n = 0; n < 1_000; n++) glance(same);
    expect(file.take(1)).toEqual([]);
  });

  it("go to the next folder if the first is unusable, and are rejected if none is usable", () => {
    const other = openNotes(1, ["/nowhere/at/all", tmpdir()]);
    notesOf(other.descriptor, 1, () => {}).begin(note("one"));
    expect(other.take(1)).toEqual([found("one")]);
    other.close();
    expect(() => openNotes(1, ["/nowhere/at/all"])).toThrow("ENOENT");
  });

  it("stop with one report if the file cannot be written", () => {
    const { trouble } = open(1);
    const { begin } = notesOf(9_999, 1, (error) => trouble.push(error));
    begin(note("one"))();
    begin(note("two"))();
    expect(trouble).toHaveLength(1);
  });
});

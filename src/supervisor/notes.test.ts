import { afterEach, describe, expect, it } from "vitest";
import { type NoteFile, notesOf, openNotes } from "./notes.ts";

let file: NoteFile | undefined;

afterEach(() => {
  file?.close();
  file = undefined;
});

const open = (workers = 2) => {
  file = openNotes(workers);
  const { descriptor } = file;
  const trouble: unknown[] = [];
  const of = (worker: number) => notesOf(descriptor, worker, (error) => trouble.push(error));
  return { file, of, trouble };
};

const note = (name: string, identifier = "maps/a.tif") => ({ name, identifier });

describe("notes of workers", () => {
  it("tell what a worker was doing, each worker for itself, and only once", () => {
    const { file, of } = open();
    const [first, second] = [of(1), of(2)];
    first.begin(note("one"));
    const done = first.begin(note("two"));
    second.begin(note("three"));
    done();
    expect(file.take(1)).toEqual([note("one")]);
    expect(file.take(1)).toEqual([]);
    expect(file.take(2)).toEqual([note("three")]);
  });

  it("use the same room again and again", () => {
    const { file, of } = open(1);
    const { begin } = of(1);
    for (let n = 0; n < 1_000; n++) begin(note(`done ${n}`))();
    begin(note("last"));
    expect(file.take(1)).toEqual([note("last")]);
  });

  it("are bounded: what is beyond is not taken down, and spoils nothing", () => {
    const { file, of } = open();
    const begin = of(1).begin;
    const ends = Array.from({ length: 100 }, (_, n) => begin(note(`${n}`)));
    expect(file.take(2)).toEqual([]);
    expect(file.take(1)).toHaveLength(64);
    for (const end of ends) end();
    begin(note("after"));
    expect(file.take(1)).toEqual([note("after")]);
  });

  it("hold names of any characters and length", () => {
    const { file, of } = open(1);
    const { begin } = of(1);
    begin(note("long", "x".repeat(5_000)));
    begin(note("wide", "世".repeat(5_000)));
    begin(note("odd", '"\0\n\\'));
    expect(file.take(1)).toEqual([
      note("long", "x".repeat(100)),
      note("wide", ""),
      note("odd", '"\0\n\\'),
    ]);
  });

  it("end quietly, said once, where the file cannot be written", () => {
    const { trouble } = open(1);
    const { begin } = notesOf(9_999, 1, (error) => trouble.push(error));
    begin(note("one"))();
    begin(note("two"))();
    expect(trouble).toHaveLength(1);
  });
});

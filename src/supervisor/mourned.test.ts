import { describe, expect, it } from "vitest";
import { deathOf, type End, Mourned } from "./mourned.ts";
import type { FoundNote } from "./notes.ts";

const note = (name: string, how: Partial<FoundNote> = {}): FoundNote => ({
  name,
  identifier: name,
  isAlone: false,
  isGlance: false,
  ...how,
});

const crash: End = { code: null, signal: "SIGSEGV", hung: false };
const killed: End = { code: null, signal: "SIGKILL", hung: false };

describe("what a worker died of", () => {
  it("is nothing where it read nothing", () => {
    expect(deathOf([], crash)).toBeUndefined();
  });

  it("names each picture once, however many requests for it were under way", () => {
    const notes = [note("a"), note("b"), ...new Array<FoundNote>(24).fill(note("a"))];
    expect(deathOf(notes, crash)).toEqual({ names: ["a", "b"], isProof: false });
    expect(deathOf([note("a"), note("a")], crash)).toEqual({ names: ["a"], isProof: false });
  });

  it.each([
    ["a signal of its own", crash],
    ["an exit code", { code: 7, signal: null, hung: false }],
    ["the supervisor, since it hung", { ...killed, hung: true }],
  ])("is proven of the only thing that was read when it was ended by %s", (_how, end) => {
    expect(deathOf([note("a")], end)).toEqual({ names: ["a"], isProof: true });
    expect(deathOf([note("a", { isGlance: true })], end)).toMatchObject({ isProof: false });
  });

  it.each(["SIGKILL", "SIGTERM"])(
    "is not proven where somebody may have ended it by %s, unless it was read alone",
    (signal) => {
      const end = { ...killed, signal };
      expect(deathOf([note("a")], end)).toMatchObject({ isProof: false });
      expect(deathOf([note("a", { isAlone: true })], end)).toMatchObject({ isProof: true });
      const others = [note("a", { isAlone: true }), note("b")];
      expect(deathOf(others, end)).toMatchObject({ isProof: false });
    },
  );
});

describe("deaths that are remembered", () => {
  it("are told with their age, the latest hundred", () => {
    let now = 0;
    const mourned = new Mourned({ now: () => now });
    for (; now < 200; now++) mourned.add({ names: [`${now}`], isProof: true });
    expect(mourned.all()).toHaveLength(100);
    expect(mourned.all()[0]).toEqual({ names: ["100"], isProof: true, ago: 100 });
  });

  it("no longer suspect what was read to its end since, one at a time or all together", () => {
    const mourned = new Mourned({ now: () => 0 });
    for (let n = 0; n < 3; n++) mourned.add({ names: ["a", "b"], isProof: false });
    mourned.add({ names: ["a"], isProof: true });
    const namesNow = (): readonly string[] => mourned.all().map(({ names }) => names.join());
    mourned.clear("a", { all: false });
    expect(namesNow()).toEqual(["b", "a,b", "a,b", "a"]);
    mourned.clear("b", { all: true });
    expect(namesNow()).toEqual(["a", "a", "a"]);
    mourned.clear("a", { all: true });
    expect(namesNow()).toEqual(["a"]);
  });
});

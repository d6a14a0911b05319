import { describe, expect, it } from "vitest";
import { CrashLog, crashOf, type End } from "./crash-log.ts";
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

describe("the cause of a worker's death", () => {
  it("is unknown if it read nothing", () => {
    expect(crashOf([], crash)).toBeUndefined();
  });

  it("names each image once, however many requests for it were in flight", () => {
    const notes = [note("a"), note("b"), ...new Array<FoundNote>(24).fill(note("a"))];
    expect(crashOf(notes, crash)).toEqual({ names: ["a", "b"], isProof: false });
    expect(crashOf([note("a"), note("a")], crash)).toEqual({ names: ["a"], isProof: false });
  });

  it.each([
    ["a signal of its own", crash],
    ["an exit code", { code: 7, signal: null, hung: false }],
    ["the supervisor, since it hung", { ...killed, hung: true }],
  ])("is proven for the only image read when it was ended by %s", (_how, end) => {
    expect(crashOf([note("a")], end)).toEqual({ names: ["a"], isProof: true });
    expect(crashOf([note("a", { isGlance: true })], end)).toMatchObject({ isProof: false });
  });

  it.each(["SIGKILL", "SIGTERM"])(
    "is not proven if somebody may have ended it by %s, unless it was read alone",
    (signal) => {
      const end = { ...killed, signal };
      expect(crashOf([note("a")], end)).toMatchObject({ isProof: false });
      expect(crashOf([note("a", { isAlone: true })], end)).toMatchObject({ isProof: true });
      const others = [note("a", { isAlone: true }), note("b")];
      expect(crashOf(others, end)).toMatchObject({ isProof: false });
    },
  );
});

describe("remembered deaths", () => {
  it("are reported with their age, the latest hundred", () => {
    let now = 0;
    const crashLog = new CrashLog({ now: () => now });
    for (; now < 200; now++) crashLog.add({ names: [`${now}`], isProof: true });
    expect(crashLog.all()).toHaveLength(100);
    expect(crashLog.all()[0]).toEqual({ names: ["100"], isProof: true, ago: 100 });
  });

  it("no longer suspect images read successfully since, individually or all together", () => {
    const crashLog = new CrashLog({ now: () => 0 });
    for (let n = 0; n < 3; n++) crashLog.add({ names: ["a", "b"], isProof: false });
    crashLog.add({ names: ["a"], isProof: true });
    const namesNow = (): readonly string[] => crashLog.all().map(({ names }) => names.join());
    crashLog.clear("a", { all: false });
    expect(namesNow()).toEqual(["b", "a,b", "a,b", "a"]);
    crashLog.clear("b", { all: true });
    expect(namesNow()).toEqual(["a", "a", "a"]);
    crashLog.clear("a", { all: true });
    expect(namesNow()).toEqual(["a"]);
  });
});

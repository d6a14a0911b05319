import { describe, expect, it } from "vitest";
import { rivalOptions } from "./options.ts";

describe("options of the comparison", () => {
  it("take the cores of the machine for IIPImage's processes", () => {
    expect(rivalOptions(["--pictures", "p"], 6)).toMatchObject({
      pictures: "p",
      processes: 6,
      workers: undefined,
      repetitions: 3,
      servers: ["vitrine", "iipsrv", "iiif-processor"],
    });
  });

  it.each([
    [[], "--pictures"],
    [["--pictures", "p", "--servers", "iipsrv"], "vitrine"],
    [["--pictures", "p", "--servers", "vitrine,apache"], "--servers"],
    [["--pictures", "p", "--servers", "vitrine,before"], "--before"],
    [["--pictures", "p", "--seconds", "0"], "--seconds"],
    [["--pictures", "p", "--workers", "two"], "--workers"],
  ])("refuse %j with what was expected", (args, said) => {
    expect(() => rivalOptions(args, 2)).toThrow(said);
  });
});

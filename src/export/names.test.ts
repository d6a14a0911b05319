import { describe, expect, it } from "vitest";
import { exportName, TakenNames } from "./names.ts";

const here = { windows: false, foldsCase: false };
const windows = { windows: true, foldsCase: true };

describe("exportName", () => {
  it("turns slashes into folders, and encodes what servers decode", () => {
    expect(exportName("maps & plans/50% ä#1+?.tif;2", here)).toEqual({
      identifier: "maps & plans/50% ä#1+?.tif;2",
      path: "maps & plans/50% ä#1+?.tif;2",
      uri: "maps%20%26%20plans/50%25%20%C3%A4%231%2B%3F.tif;2",
    });
  });

  it.each(["a//b", "/a", "a/", ".", "a/../b", "a\nb", `${"ä".repeat(200)}`, "a\u{d800}"])(
    "refuses %j, which no server could serve from a file",
    (identifier) => {
      expect(() => exportName(identifier, here)).toThrow(/cannot be exported: its identifier/);
    },
  );

  it.each(["index.html", "vitrine-viewer/a.jpg", ".vitrine-export.json"])(
    "refuses %j, a name of the export's own files",
    (identifier) => {
      expect(() => exportName(identifier, here)).toThrow(/the export's own files/);
    },
  );

  it.each(["a:b", "a?", "a.", "b /c", "con", "Lpt1.tif"])(
    "refuses %j on Windows only",
    (identifier) => {
      expect(exportName(identifier, here).path).toBe(identifier);
      expect(() => exportName(identifier, windows)).toThrow(/Windows/);
    },
  );
});

describe("TakenNames", () => {
  const taken = (rules: typeof here, ...identifiers: readonly string[]): TakenNames => {
    const names = new TakenNames(rules);
    for (const identifier of identifiers) names.take(exportName(identifier, here));
    return names;
  };

  it("refuses duplicate names", () => {
    expect(() => taken(here, "a", "b", "a")).toThrow("'a' and 'a' cannot both be exported");
  });

  it("distinguishes case only if the file system does", () => {
    taken(here, "A.tif", "a.tif", "u\u0308", "\u00fc");
    expect(() => taken(windows, "A.tif", "a.tif")).toThrow("'A.tif' and 'a.tif'");
    expect(() => taken(windows, "u\u0308", "\u00fc")).toThrow("cannot both be exported");
  });

  it("refuses an image inside the folder of another, in either order", () => {
    expect(() => taken(here, "a", "a/full")).toThrow("'a' and 'a/full'");
    expect(() => taken(here, "a/0,0,512,512/b", "a")).toThrow("'a/0,0,512,512/b' and 'a'");
    expect(() => taken(here, "a/info.json", "a")).toThrow("cannot both be exported");
    taken(here, "a", "a/b", "a/b/c", "b/full", "full");
  });
});

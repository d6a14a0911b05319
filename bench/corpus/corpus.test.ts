import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { CorpusFile } from "../../test/corpus.ts";
import { distance, gridOf, numbersOf, trouble } from "./grid.ts";
import { between, report } from "./report.ts";
import type { Outcome, Verdict } from "./verdict.ts";
import { pagesOf, sampledPages, sizesOf } from "./wanted.ts";

const file = (facts: Partial<CorpusFile>): CorpusFile => ({
  path: "png/a.png",
  format: "png",
  expect: "ok",
  ...facts,
});

describe("what the manifest wants", () => {
  it("is the upright size, of PDF in pixels, of what is turned the other way round", () => {
    const turned = { width: 40, height: 30, upright_width: 30, upright_height: 40 };
    expect(sizesOf(file(turned)).sizes).toEqual([{ width: 30, height: 40 }]);
    const page = { format: "pdf", width: 72, height: 144, rotation: 90 };
    expect(sizesOf(file(page))).toEqual({ sizes: [{ width: 300, height: 150 }], near: true });
    expect(sizesOf(file({}))).toEqual({ sizes: [], near: false });
  });

  it("is of JPEG 2000 that samples all components alike either grid", () => {
    const halved = { format: "j2k", width: 127, height: 126 };
    expect(sizesOf(file({ ...halved, component_subsampling: ["2x1"] })).sizes).toEqual([
      { width: 127, height: 126 },
      { width: 64, height: 126 },
    ]);
    expect(sizesOf(file({ ...halved, component_subsampling: ["1x1", "2x2"] })).sizes).toHaveLength(
      1,
    );
  });

  it("counts directories of a TIFF that are neither masks nor the first one reduced", () => {
    const count = (...directories: readonly string[]): number | undefined =>
      pagesOf(file({ format: "tiff", directories, pages: directories.length }));
    expect(count("383x232", "192x116 reduced-resolution image")).toBe(1);
    expect(
      count("900x1100", "900x1100 transparency mask", "450x550 reduced-resolution image"),
    ).toBe(1);
    expect(count("2220x2967", "574x768", "387x463 reduced-resolution image")).toBe(3);
    expect(count("10x10", "10x10", "20x20")).toBe(3);
  });

  it("counts frames and pages, and asks for some of many", () => {
    expect(pagesOf(file({ format: "gif", frames: 5, pages: 1 }))).toBe(5);
    expect(pagesOf(file({ format: "png" }))).toBe(1);
    expect(pagesOf(file({ format: "dicom", pages: 30 }))).toBe(30);
    expect(pagesOf(file({ format: "jp2", pages: 1 }))).toBeUndefined();
    expect(sampledPages(3)).toEqual([1, 2, 3]);
    expect(sampledPages(30)).toEqual([1, 2, 15, 29, 30]);
  });
});

describe("sixteen colours", () => {
  /** Four quarters of an image, in hexadecimal, from the top left on, row by row. */
  const quarters = async (...colours: readonly string[]): Promise<Buffer> => {
    const tops = [0, 0, 20, 20];
    const parts = colours.map((background, at) => ({
      input: { create: { width: 30, height: 20, channels: 4 as const, background } },
      left: at % 2 === 0 ? 0 : 30,
      top: tops[at] ?? 0,
    }));
    return sharp({ create: { width: 60, height: 40, channels: 4, background: "#0000" } })
      .composite(parts)
      .png()
      .toBuffer();
  };
  const gridOfQuarters = (...colours: readonly string[]): readonly number[] => {
    const [a = "", b = "", c = "", d = ""] = colours;
    return numbersOf([a, a, b, b, a, a, b, b, c, c, d, d, c, c, d, d].join(""));
  };

  it("are the means of the cells, transparency over white", async () => {
    const grid = await gridOf(await quarters("#ff0000", "#00ff00", "#0000ff", "#00000000"));
    expect(distance(grid, gridOfQuarters("ff0000", "00ff00", "0000ff", "ffffff"))).toBeLessThan(4);
  });

  it("tell what is the matter with a picture", () => {
    const wanted = gridOfQuarters("ff0000", "00ff00", "0000ff", "808080");
    expect(trouble(wanted, wanted, 12)).toBeUndefined();
    const said = (...colours: readonly string[]) => trouble(gridOfQuarters(...colours), wanted, 12);
    expect(said("00ff00", "ff0000", "808080", "0000ff")).toBe("the picture is mirrored");
    expect(said("808080", "0000ff", "00ff00", "ff0000")).toBe("the picture is upside down");
    expect(said("0000ff", "ff0000", "808080", "00ff00")).toBe("the picture is turned");
    expect(said("00ffff", "ff00ff", "ffff00", "7f7f7f")).toBe("the picture is inverted");
    expect(said("000000", "000000", "000000", "000000")).toMatch(/its colours are \d+ of 255/);
  });
});

describe("the table", () => {
  const verdict = (path: string, format: string, outcome: Outcome, why?: string): Verdict => ({
    file: file({ path, format }),
    outcome,
    ...(why === undefined ? {} : { why }),
  });

  it("counts by format, hostile files last, and says what is not right", () => {
    const text = report([
      verdict("video/a.mp4", "mp4", "right"),
      verdict("jp2/b.j2k", "j2k", "wrong", "10 x 10 instead of 20 x 20"),
      verdict("jp2/c.jp2", "jp2", "right"),
      verdict("malformed/d.gif", "gif", "refused", "Damaged."),
      verdict("tiff/e.tif", "tiff", "unread", "It is <odd>\n| so."),
    ]);
    expect(text.split("\n")).toEqual([
      "| format | files | right | refused as expected | refused, though readable | wrong |",
      "| --- | ---: | ---: | ---: | ---: | ---: |",
      "| JPEG 2000 | 2 | 1 | 0 | 0 | 1 |",
      "| TIFF | 1 | 0 | 0 | 1 | 0 |",
      "| video | 1 | 1 | 0 | 0 | 0 |",
      "| damaged and hostile files | 1 | 0 | 1 | 0 | 0 |",
      "",
      "Wrong:",
      "",
      "- `jp2/b.j2k`: 10 x 10 instead of 20 x 20",
      "",
      "Refused, though readable:",
      "",
      "- `tiff/e.tif`: It is odd so",
    ]);
  });

  it("is put between its markers and nowhere else", () => {
    const page = "before\n<!-- a:begin -->\nold\n<!-- a:end -->\nafter\n";
    expect(between(page, "a", "new")).toBe(
      "before\n<!-- a:begin -->\nnew\n<!-- a:end -->\nafter\n",
    );
    expect(() => between(page, "b", "new")).toThrow(/Expected markers/);
  });
});

import { describe, expect, it } from "vitest";
import type { ImageFacts, ObjectFacts } from "./facts.ts";
import { type FindingCode, isImage, type JudgingRules, judge } from "./judging.ts";

const rules: JudgingRules = { pyramids: { isOn: true, minPixels: 8_000_000 }, hasTwin: false };

const image = (changes: Partial<ImageFacts> = {}): ImageFacts => ({
  size: { width: 4_000, height: 3_000 },
  pages: 1,
  colour: { bits: 8, model: "rgb", alpha: false, profile: "srgb" },
  levels: 1,
  slowPages: 0,
  ...changes,
});

const facts = (changes: Partial<ObjectFacts> = {}): ObjectFacts => ({
  identifier: "maps/a.jpg",
  version: "1",
  bytes: 5_000_000,
  decoded: "all",
  format: "jpg",
  image: image(),
  ...changes,
});

const codes = (given: ObjectFacts, changes: Partial<JudgingRules> = {}): readonly FindingCode[] =>
  judge(given, { ...rules, ...changes }).map(({ code }) => code);

describe("judging an object", () => {
  it("finds nothing in an intact image", () => {
    expect(codes(facts())).toEqual([]);
  });

  it("reports unreadable images, with the page of a document", () => {
    const problem = { kind: "unreadable", reason: "The file ends too early.", page: 3 } as const;
    const [finding] = judge(facts({ problem, image: image({ pages: 7 }) }), rules);
    expect(finding).toEqual({
      code: "unreadable",
      severity: "error",
      text: "Page 3: The file ends too early.",
    });
    expect(judge(facts({ problem }), rules)[0]?.text).toBe("The file ends too early.");
  });

  it("treats a file with only the extension of an image as damaged", () => {
    const { format: _, image: __, ...none } = facts();
    expect(judge(none, rules)).toEqual([
      {
        code: "unreadable",
        severity: "error",
        text: "Its extension says JPEG, but its content has no known format.",
      },
    ]);
    expect(judge({ ...none, bytes: 0 }, rules)[0]?.text).toBe("The file is empty.");
    expect(codes({ ...none, identifier: "notes.txt" })).toEqual([]);
    expect(isImage({ ...none, identifier: "notes.txt" })).toBe(false);
  });

  it("compares the extension with the content if it belongs to a format", () => {
    expect(codes(facts({ identifier: "a.tif" }))).toEqual(["wrong-extension"]);
    expect(codes(facts({ identifier: "a.JPEG" }))).toEqual([]);
    expect(codes(facts({ identifier: "a" }))).toEqual([]);
    expect(codes(facts({ identifier: "ark.12025/654xz321" }))).toEqual([]);
  });

  it("calls an image slow if its pyramid would help, and it is large enough for one", () => {
    const costs = { now: 24_000_000, withPyramid: 600_000 };
    const zoom = { tile: costs, overview: costs, pyramidBytes: 9_000_000 };
    expect(judge(facts({ image: image({ zoom, slowPages: 1 }) }), rules)).toEqual([
      {
        code: "slow",
        severity: "note",
        text: "Decoding a tile costs 24.0 MP, with a pyramid 0.6 MP. The server makes a pyramid once the image is zoomed into.",
      },
    ]);
    const off = { pyramids: { ...rules.pyramids, isOn: false } };
    expect(judge(facts({ image: image({ zoom }) }), { ...rules, ...off })).toMatchObject([
      { code: "slow", severity: "warning" },
    ]);
    const small = image({ zoom, size: { width: 2_000, height: 2_000 } });
    expect(codes(facts({ image: small }))).toEqual([]);
  });

  it("reports a missing profile only if colours are likely to be wrong without it", () => {
    const without = (model: "rgb" | "cmyk" | "grey", bits: number, format: string) =>
      codes(
        facts({
          identifier: "a",
          format,
          image: image({ colour: { bits, model, alpha: false, profile: "none" } }),
        }),
      );
    expect(without("rgb", 8, "jpg")).toEqual([]);
    expect(without("grey", 16, "tif")).toEqual([]);
    expect(without("cmyk", 8, "jpg")).toEqual(["no-profile"]);
    expect(without("rgb", 8, "tif")).toEqual(["no-profile"]);
    expect(without("rgb", 16, "png")).toEqual(["no-profile"]);
  });

  it("warns about images whose identifiers differ only in case", () => {
    expect(codes(facts(), { hasTwin: true })).toEqual(["case"]);
    const { format: _, ...none } = facts({ identifier: "notes.txt" });
    expect(codes(none, { hasTwin: true })).toEqual([]);
  });
});

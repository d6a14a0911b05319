import { describe, expect, it } from "vitest";
import { negotiate } from "./accept.ts";

const offers = ["image/jpeg", "image/png", "text/html"] as const;
const chosen = (header: string | undefined) => negotiate(header, offers);

describe("an Accept header", () => {
  it.each([
    ["image/png", "image/png"],
    ["IMAGE/PNG", "image/png"],
    ["image/*", "image/jpeg"],
    ["*/*", "image/jpeg"],
    ["text/html, image/png", "text/html"],
    ["image/jpeg;q=0.5, image/png;q=0.6", "image/png"],
    ["image/jpeg;q=0.5, */*", "image/png"],
    ["text/*, image/*;q=0.9, */*;q=0.1", "text/html"],
    ["*/*, image/png", "image/png"],
    ["image/png;q=7, text/html", "image/png"],
    ["image/png; level=1; q=0.2, text/html;q=0.3", "text/html"],
    ["nonsense, image/png", "image/png"],
  ])("%s prefers %s", (header, wanted) => {
    expect(chosen(header)).toBe(wanted);
  });

  it.each([
    undefined,
    "",
    "nonsense",
    "image/gif",
    "image/jpeg;q=0",
    "image/jpeg;q=0, image/png;q=0.000",
    "image/*;q=0",
    "*/*;q=0",
  ])("%s accepts nothing that is offered", (header) => {
    expect(chosen(header)).toBeUndefined();
  });

  it("does not accept by a wide range what a narrower one excludes", () => {
    expect(chosen("*/*, image/jpeg;q=0")).toBe("image/png");
    expect(chosen("image/*;q=0, */*;q=0.1")).toBe("text/html");
  });

  it("matches a range regardless of its parameters other than q", () => {
    const profile = 'image/png;profile="http://iiif.io/api/image/3/context.json, x"; q=0.9';
    expect(chosen(`text/html;q=0.5, ${profile}`)).toBe("image/png");
  });

  it("is parsed up to 4,096 characters", () => {
    const others = "a/b,".repeat(1_020);
    expect(chosen(`${others}image/png`)).toBe("image/png");
    expect(chosen(`${others}a/b,a/b,image/png`)).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { areValid, basicCredentials } from "./basic.ts";

const header = (text: string, scheme = "Basic") =>
  `${scheme} ${Buffer.from(text).toString("base64")}`;

describe("Basic authentication", () => {
  it("parses a name and a password with colons and non-ASCII letters", () => {
    expect(basicCredentials(header("me:a:b:c"))).toEqual({ username: "me", secret: "a:b:c" });
    expect(basicCredentials(header("mé:sécret", "bASIC"))).toEqual({
      username: "mé",
      secret: "sécret",
    });
    const long = "a".repeat(3_000);
    expect(basicCredentials(header(`me:${long}`))).toEqual({ username: "me", secret: long });
    expect(basicCredentials(header(":"))).toEqual({ username: "", secret: "" });
  });

  it.each([
    undefined,
    "",
    "Basic",
    "Basic ",
    "Bearer abc",
    "Basic %%%",
    "Basic a b",
    header("no colon"),
    `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString("base64")}`,
    header(`me:${"a".repeat(3_072)}`),
  ])("rejects %s", (given) => {
    expect(basicCredentials(given)).toBeUndefined();
  });

  it("accepts valid credentials, and never blank ones", () => {
    const right = { username: "me", secret: "a:b" };
    expect(areValid(right, right)).toBe(true);
    expect(areValid({ ...right, secret: "a:" }, right)).toBe(false);
    expect(areValid({ ...right, username: "Me" }, right)).toBe(false);
    expect(areValid(undefined, right)).toBe(false);
    const blank = { username: "", secret: "" };
    expect(areValid(blank, blank)).toBe(false);
    expect(areValid(undefined, blank)).toBe(false);
    expect(areValid({ username: "me", secret: "" }, { username: "me", secret: "" })).toBe(false);
  });
});

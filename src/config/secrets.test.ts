import { describe, expect, it } from "vitest";
import { isSecret, shownValue } from "./secrets.ts";

const secret = { type: "secret", default: "", doc: "" } as const;
const text = { type: "string", default: "", doc: "" } as const;

describe("secrets", () => {
  it("are recognised by their definition, and by name without one", () => {
    expect(isSecret("a", secret)).toBe(true);
    expect(isSecret("a.secret_words", text)).toBe(false);
    expect(isSecret("S3Source.secret_key", undefined)).toBe(true);
    expect(isSecret("HttpSource.BasicLookupStrategy.auth.basic.secret", undefined)).toBe(true);
    expect(isSecret("max_pixels", undefined)).toBe(false);
  });

  it("are hidden, also within URLs; blank ones are shown", () => {
    expect(shownValue("a", "hunter2", secret)).toBe("(masked)");
    expect(shownValue("a", "", secret)).toBe("");
    expect(shownValue("url", "redis://me:hunter2@host/0", text)).toBe("redis://me:(masked)@host/0");
    expect(shownValue("max_pixels", "100", text)).toBe("100");
  });
});

import { describe, expect, it } from "vitest";
import { Documents } from "./documents.ts";

describe("documents", () => {
  const type = "application/json";
  const counted = () => {
    const made: string[] = [];
    const documents = new Documents();
    const ask = (name: string, sources: readonly unknown[], text: string, as = type) =>
      documents.get(name, { type: as, sources }, () => {
        made.push(text);
        return text;
      });
    return { made, ask };
  };

  it("are created once per name while their inputs are the same", () => {
    const { made, ask } = counted();
    const [info, other] = [{}, {}];
    const first = ask("a", [info, 1], "one");
    expect(first.body.toString()).toBe("one");
    expect(ask("a", [info, 1], "two")).toBe(first);
    expect(ask("a", [other, 1], "three").body.toString()).toBe("three");
    expect(ask("a", [other, 2], "four").body.toString()).toBe("four");
    expect(ask("b", [other, 2], "five").body.toString()).toBe("five");
    expect(made).toEqual(["one", "three", "four", "five"]);
  });

  it("of another type are different, with other digests", () => {
    const { ask } = counted();
    const [plain, linked] = [ask("a", [], "same"), ask("a", [], "same", "application/ld+json")];
    expect(plain.digest).toMatch(/^[\w-]{27}$/);
    expect(linked.digest).not.toBe(plain.digest);
    expect(ask("b", [], "same").digest).toBe(plain.digest);
  });

  it("are evicted before they exceed the memory limit", () => {
    const { made, ask } = counted();
    const large = "x".repeat(1_000_000);
    for (let n = 0; n < 10; n++) ask(`${n}`, [], large);
    ask("9", [], large);
    expect(made).toHaveLength(10);
    ask("0", [], large);
    expect(made).toHaveLength(11);
  });
});

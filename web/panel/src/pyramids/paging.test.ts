import { expect, test } from "vitest";
import { firstOf, nextOf, pathOf, previousOf } from "./paging.ts";

test("goes through the pages of a list, and back", () => {
  const first = firstOf("refused");
  expect(pathOf(first)).toBe("pyramids?max=50&state=refused");
  const third = nextOf(nextOf(first, "a/b"), "c&d");
  expect(pathOf(third)).toBe("pyramids?max=50&after=c%26d&state=refused");
  expect(pathOf(previousOf(third))).toBe("pyramids?max=50&after=a%2Fb&state=refused");
  expect(pathOf(previousOf(previousOf(third)))).toBe(pathOf(first));
});

test("lists every state by default", () => {
  expect(pathOf(firstOf("all"))).toBe("pyramids?max=50");
});

import { describe, expect, it } from "vitest";
import { type Linked, LinkedList } from "./linked-list.ts";

interface Named extends Linked<Named> {
  readonly name: string;
}

const element = (name: string): Named => ({
  name,
  before: undefined,
  after: undefined,
  isListed: false,
});

const namesOf = (list: LinkedList<Named>): string => list.all.map(({ name }) => name).join("");

describe("a linked list", () => {
  it("has its elements in the order in which they were added", () => {
    const list = new LinkedList<Named>();
    expect(list.first).toBeUndefined();
    for (const name of "abc") list.add(element(name));
    expect(namesOf(list)).toBe("abc");
    expect(list.first?.name).toBe("a");
  });

  it.each([
    ["the first", 0, "bcd"],
    ["one between others", 2, "abd"],
    ["the last", 3, "abc"],
  ])("loses %s of them", (_, index, left) => {
    const list = new LinkedList<Named>();
    const elements = [..."abcd"].map(element);
    for (const one of elements) list.add(one);
    const removed = elements[index] as Named;
    list.delete(removed);
    list.delete(removed);
    expect(namesOf(list)).toBe(left);
    expect(removed).toMatchObject({ before: undefined, after: undefined, isListed: false });
    list.add(removed);
    list.add(removed);
    expect(namesOf(list)).toBe(left + removed.name);
  });

  it("can be emptied and filled again", () => {
    const list = new LinkedList<Named>();
    const only = element("a");
    list.add(only);
    list.delete(only);
    expect(list.all).toEqual([]);
    expect(list.first).toBeUndefined();
    list.add(element("b"));
    expect(namesOf(list)).toBe("b");
  });
});

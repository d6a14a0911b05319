import { expect, test } from "vitest";
import { random } from "../../../../test/random.ts";
import { UseOrder } from "./use-order.ts";

const all = (order: UseOrder): number[] => {
  const numbers: number[] = [];
  for (let number = order.oldest; number >= 0; number = order.after(number)) numbers.push(number);
  return numbers;
};

test("numbers are in order of last use", () => {
  const order = new UseOrder(20);
  expect(all(order)).toEqual([]);
  const expected = new Set<number>();
  const dice = random(1);
  for (let turn = 0; turn < 500; turn++) {
    const number = dice.whole(0, 19);
    expected.delete(number);
    if (dice.whole(0, 2) === 0) order.remove(number);
    else {
      order.touch(number);
      expected.add(number);
    }
    expect(all(order)).toEqual([...expected]);
  }
});

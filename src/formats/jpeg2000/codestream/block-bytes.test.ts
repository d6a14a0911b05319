import { expect, test } from "vitest";
import { memoryReader } from "../../../../test/readers.ts";
import { complete } from "../../../core/steps.ts";
import { Fetches, readGroups } from "./block-bytes.ts";

const { signal } = new AbortController();
const far = 100_000;
const bytes = Uint8Array.from({ length: 12 * far }, (_, at) => (at * 7) % 251);

/** Pieces so far apart that each is read separately, the last one first. */
const apart = (): Fetches => {
  const fetches = new Fetches();
  for (let piece = 11; piece >= 0; piece--) fetches.add(piece * far, 10, (11 - piece) * 10);
  return fetches;
};

test("pieces are copied to their places, or kept together as read", async () => {
  const fetches = new Fetches();
  const pieces = [
    [5_000, 20, 0],
    [300_000, 5, 20],
    [4_000, 30, 25],
  ] as const;
  for (const [offset, length, to] of pieces) fetches.add(offset, length, to);
  const groups = fetches.groups();
  expect(groups.bytes).toBe(1_020 + 5);
  const reader = memoryReader(bytes);
  const [packed, whole] = [new Uint8Array(55), new Uint8Array(1_025)];
  await complete(fetches.readInto(packed, groups), reader, signal);
  await complete(readGroups(whole, groups), reader, signal);
  const places = fetches.placesIn(groups);
  for (const [number, [offset, length, to]] of pieces.entries()) {
    const expected = bytes.slice(offset, offset + length);
    expect(packed.slice(to, to + length)).toEqual(expected);
    const place = places[number] ?? 0;
    expect(whole.slice(place, place + length)).toEqual(expected);
  }
});

test("a failed read starts no other, and nothing is written after it is reported", async () => {
  const fetches = apart();
  const held: (() => void)[] = [];
  const plain = memoryReader(bytes);
  const reader = {
    ...plain,
    async read(offset: number, length: number) {
      if (offset === 0) throw new Error("gone");
      await new Promise<void>((resolve) => held.push(resolve));
      return plain.read(offset, length);
    },
  };
  const room = new Uint8Array(120);
  let isTold = false;
  const work = complete(readGroups(room, fetches.groups()), reader, signal).catch(
    (error: Error) => {
      isTold = true;
      return error.message;
    },
  );
  await expect.poll(() => held.length).toBe(7);
  for (const end of held.slice(0, 6)) end();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([isTold, held.length]).toEqual([false, 7]);
  for (const end of held) end();
  expect(await work).toBe("gone");
  room.fill(0);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([held.length, room.every((byte) => byte === 0)]).toEqual([7, true]);
});

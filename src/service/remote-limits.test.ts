import { describe, expect, it } from "vitest";
import type { Admitted } from "../core/admission.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { SourceObject } from "../core/source.ts";
import { openRemote } from "./remote-limits.ts";

const signal = new AbortController().signal;
const bytes = new Uint8Array(10);

const reader: RangeReader = {
  size: bytes.length,
  read: async () => bytes,
  readMany: async () => [bytes],
  prefetch: async () => {},
  copy: async () => "/copies/one",
  stream: () => expect.fail("Expected no stream."),
  close: async () => {},
};

const objectOf = (far: boolean): SourceObject => ({
  version: "one",
  size: bytes.length,
  open: async () => reader,
  ...(far ? { download: async () => expect.fail("Expected no download.") } : {}),
});

/** An admission that counts how often it was suspended. */
const countingTurn = (): { readonly turn: Admitted; readonly left: () => number } => {
  let left = 0;
  const aside = <T>(wait: () => Promise<T>): Promise<T> => {
    left++;
    return wait();
  };
  return { turn: { aside }, left: () => left };
};

/** How often each way of reading suspends the admission. */
const leavesOf = async (far: boolean): Promise<readonly number[]> => {
  const { turn, left } = countingTurn();
  const opened = await openRemote(objectOf(far), turn, signal);
  const counts = [left()];
  for (const wait of [
    () => opened.read(0, 1, signal),
    () => opened.readMany?.([{ offset: 0, length: 1 }], signal),
    () => opened.prefetch?.([{ offset: 0, length: 1 }], signal),
    () => opened.copy?.(signal),
  ]) {
    await wait();
    counts.push(left());
  }
  return counts;
};

describe("reading while admitted", () => {
  it("leaves the lane during every wait for a remote object", async () => {
    expect(await leavesOf(true)).toEqual([1, 2, 3, 4, 5]);
  });

  it("stays in the lane while a local object is read", async () => {
    expect(await leavesOf(false)).toEqual([0, 0, 0, 0, 0]);
  });
});

import { expect, test } from "vitest";
import { memoryReader } from "../../../test/readers.ts";
import { ByteWindow } from "./byte-window.ts";

test("a walk through cached data yields to the event loop, and stops when aborted", async () => {
  const leaving = new AbortController();
  const window = new ByteWindow(memoryReader(new Uint8Array(100)), 100, leaving.signal);
  setImmediate(() => leaving.abort(new Error("left")));
  const walking = async (): Promise<void> => {
    for (let step = 0; step < 1_000_000; step++) await window.at(step % 100, 1);
  };
  await expect(walking()).rejects.toThrow("left");
});

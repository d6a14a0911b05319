import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { LentFile } from "./lent-file.ts";

const linux = it.skipIf(process.platform !== "linux");

linux("grows, in one file, up to the length that is asked for", async () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, at) => at % 251);
  const file = new LentFile(bytes, ["/tmp"]);
  const path = await file.extend(100);
  expect([...(await readFile(path))]).toEqual([...bytes.subarray(0, 100)]);
  const paths = await Promise.all([file.extend(200), file.extend(150), file.extend(300)]);
  expect(new Set([path, ...paths]).size).toBe(1);
  expect([...(await readFile(path))]).toEqual([...bytes]);
  file.close();
  await vi.waitFor(() => expect(existsSync(path)).toBe(false));
  await expect(file.extend(300)).rejects.toThrow("closed");
});

linux("goes to the next folder where one does not accept it", async () => {
  const file = new LentFile(Uint8Array.of(1, 2, 3), ["/nonexistent", "/tmp"]);
  expect([...(await readFile(await file.extend(2)))]).toEqual([1, 2]);
  file.close();
  const failing = new LentFile(Uint8Array.of(1), ["/nonexistent", "/nonexistent/too"]);
  await expect(failing.extend(1)).rejects.toThrow("ENOENT");
  failing.close();
  await turn();
});

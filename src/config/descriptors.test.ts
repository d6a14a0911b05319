import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { descriptorLimit } from "./descriptors.ts";

it("the descriptor limit is the soft one, where there is one", () => {
  const text = (soft: string): string =>
    `Limit                     Soft Limit           Hard Limit           Units\nMax processes             7                    7                    processes\nMax open files            ${soft}                1048576              files\n`;
  expect(descriptorLimit(() => text("512"))).toBe(512);
  expect(descriptorLimit(() => text("unlimited"))).toBeUndefined();
  expect(descriptorLimit(() => "")).toBeUndefined();
});

it.skipIf(!existsSync("/proc/self/limits"))(
  "this process's limit is known (skipped where the system does not report it)",
  () => {
    expect(descriptorLimit()).toBeGreaterThan(10);
  },
);

import { expect, it } from "vitest";
import { createFreeing } from "./free-memory.ts";

it("detaches buffers and returns their memory without a garbage collection", async () => {
  const free = await createFreeing();
  const before = process.memoryUsage().arrayBuffers;
  const length = 8_388_608;
  for (let n = 0; n < 4; n++) {
    const view = new Uint8Array(length).fill(n);
    expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThanOrEqual(length);
    free(view.buffer);
    expect(view).toHaveLength(0);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(length);
  }
});

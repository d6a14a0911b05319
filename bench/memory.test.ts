import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { listenerOf, memoryOf, shareOf } from "./memory.ts";

describe.skipIf(!existsSync("/proc/net/tcp"))("memory (only where there is a /proc)", () => {
  it("finds the process that listens on a port, and its resident memory", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    try {
      expect(await listenerOf(port)).toBe(process.pid);
      const memory = await memoryOf(process.pid);
      expect(memory?.resident).toBeGreaterThan(10 * 1024 ** 2);
      expect(memory?.processes).toBeGreaterThanOrEqual(1);
      const share = await shareOf(process.pid);
      expect(share).toBeGreaterThan(10 * 1024 ** 2);
      expect(share).toBeLessThanOrEqual((memory?.resident ?? 0) * 1.2);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    expect(await listenerOf(port)).toBeUndefined();
  });
});

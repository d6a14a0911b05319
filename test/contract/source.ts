import { describe, expect, it } from "vitest";
import type { RequestContext } from "../../src/core/context.ts";
import { ServerError } from "../../src/core/errors.ts";
import type { Source } from "../../src/sources/source.ts";

/** A context for tests that never aborts. */
export const contextOf = (identifier: string): RequestContext => ({
  requestId: "test",
  identifier,
  signal: new AbortController().signal,
});

/** What every source must do. `stored` names an object of the source and its bytes. */
export const sourceContract = (
  name: string,
  make: () => Promise<{ source: Source; stored: { identifier: string; bytes: Uint8Array } }>,
): void => {
  describe(`${name} as a source`, () => {
    it("says `missing` of what is not there", async () => {
      const { source } = await make();
      const found = source.find("not/there.png", contextOf("not/there.png"));
      await expect(found).rejects.toSatisfy(
        (error) => error instanceof ServerError && error.failure === "missing",
      );
    });

    it("tells size and a version that stays while the object stays", async () => {
      const { source, stored } = await make();
      const first = await source.find(stored.identifier, contextOf(stored.identifier));
      const second = await source.find(stored.identifier, contextOf(stored.identifier));
      expect(first.size).toBe(stored.bytes.length);
      expect(first.version).not.toBe("");
      expect(second.version).toBe(first.version);
    });

    it("reads any range, and less only at the end", async () => {
      const { source, stored } = await make();
      const reader = await (
        await source.find(stored.identifier, contextOf(stored.identifier))
      ).open();
      const end = stored.bytes.length;
      expect(Buffer.from(await reader.read(0, end))).toEqual(Buffer.from(stored.bytes));
      expect(Buffer.from(await reader.read(3, 5))).toEqual(
        Buffer.from(stored.bytes.subarray(3, 8)),
      );
      expect(Buffer.from(await reader.read(end - 2, 100))).toEqual(
        Buffer.from(stored.bytes.subarray(end - 2)),
      );
      expect((await reader.read(end + 10, 4)).length).toBe(0);
      await reader.close();
    });

    it("streams the whole object", async () => {
      const { source, stored } = await make();
      const reader = await (
        await source.find(stored.identifier, contextOf(stored.identifier))
      ).open();
      const parts: Buffer[] = [];
      for await (const part of reader.stream()) parts.push(part as Buffer);
      expect(Buffer.concat(parts)).toEqual(Buffer.from(stored.bytes));
      await reader.close();
    });
  });
};

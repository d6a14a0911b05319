import { describe, expect, it } from "vitest";
import { fakeImages } from "../../test/fake-images.ts";
import { unconstrained } from "../core/identifier.ts";
import { planKey } from "../core/plan.ts";
import type { Prepared } from "./prepared.ts";
import { withResponseMetadata } from "./response-metadata.ts";

const { signal } = new AbortController();

const prepare = async (changes: Partial<Prepared["plan"]> = {}): Promise<Prepared> => {
  const prepared = await fakeImages().prepare(
    {
      id: { identifier: "a", page: 1, constraint: unconstrained },
      region: { kind: "pixels", rect: { x: 0, y: 0, width: 256, height: 256 } },
      size: { kind: "max", upscale: false },
      mirror: false,
      rotation: 0,
      quality: "default",
      format: "jpg",
    },
    { requestId: "1", identifier: "a", signal },
    "use",
  );
  const plan = { ...prepared.plan, ...changes };
  return { ...prepared, plan, key: planKey(plan) };
};

describe("a request with response metadata", () => {
  it("has its own key for each metadata", async () => {
    const bare = await prepare();
    const [one, other] = [withResponseMetadata(bare, "<a/>"), withResponseMetadata(bare, "<b/>")];
    expect(new Set([bare.key, one.key, other.key]).size).toBe(3);
    expect(one.plan.xmp).toBe("<a/>");
    expect(withResponseMetadata(await prepare(), "<a/>").key).toBe(one.key);
  });

  it("is unchanged without metadata, or if the format has no place for it", async () => {
    const [bare, pdf] = [await prepare(), await prepare({ format: "pdf" })];
    for (const { plan, key } of [withResponseMetadata(bare, null)])
      expect([plan, key]).toEqual([bare.plan, bare.key]);
    expect(withResponseMetadata(pdf, "<a/>").key).toBe(pdf.key);
  });

  it("is never answered with a whole file, even if the metadata is empty", async () => {
    const whole = await prepare({ whole: true });
    const { plan, key } = withResponseMetadata(whole, null);
    expect([plan.whole, key]).toEqual([false, (await prepare({ whole: false })).key]);
    expect(withResponseMetadata(whole, "<a/>").plan.whole).toBe(false);
  });

  it("keeps the metadata when it is prepared again", async () => {
    const again = (): Promise<Prepared> => prepare({ sourceVersion: "2" });
    const anew = await withResponseMetadata({ ...(await prepare()), again }, "<a/>").again?.();
    expect(anew?.plan).toMatchObject({ sourceVersion: "2", xmp: "<a/>" });
  });
});

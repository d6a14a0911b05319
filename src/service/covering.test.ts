import { describe, expect, it } from "vitest";
import { fakeImages } from "../../test/fake-images.ts";
import { unconstrained } from "../core/identifier.ts";
import type { Overlay } from "../core/overlay.ts";
import { covered } from "./covering.ts";
import type { Prepared } from "./prepared.ts";

const { signal } = new AbortController();

const prepare = (): Promise<Prepared> =>
  fakeImages().prepare(
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

const overlayAt = (x: number, key = "k"): Overlay => ({
  key,
  placed: "page",
  operation: { class: "ImageOverlay" },
  marks: () => [{ x, y: 0, width: 10, height: 10, pixels: () => new Uint8Array(400) }],
});

describe("a request with an overlay", () => {
  it("has its own key for each overlay", async () => {
    const bare = await prepare();
    const one = await covered(bare, { overlay: overlayAt(5) }, signal);
    const other = await covered(bare, { overlay: overlayAt(5, "other") }, signal);
    expect(new Set([bare.key, one.key, other.key]).size).toBe(3);
    expect(one.plan.cover?.overlay?.marks).toHaveLength(1);
  });

  it("is unchanged if no mark touches the response", async () => {
    const bare = await prepare();
    const { plan, key } = await covered(bare, { overlay: overlayAt(256) }, signal);
    expect([plan, key]).toEqual([bare.plan, bare.key]);
  });

  it("keeps the overlay when it is prepared again", async () => {
    const bare = await prepare();
    const again = async (): Promise<Prepared> => ({
      ...bare,
      plan: { ...bare.plan, sourceVersion: "2" },
    });
    const { key, again: anew } = await covered(
      { ...bare, again },
      { overlay: overlayAt(5) },
      signal,
    );
    const prepared = await anew?.();
    expect(prepared?.plan).toMatchObject({ sourceVersion: "2", cover: { overlay: { key: "k" } } });
    expect(prepared?.key).not.toBe(key);
  });

  it("fails if the overlay does", async () => {
    const overlay: Overlay = {
      ...overlayAt(5),
      marks: () => Promise.reject(new Error("no such font")),
    };
    await expect(covered(await prepare(), { overlay }, signal)).rejects.toThrow("no such font");
  });
});

describe("a request with redactions", () => {
  const redactions = [{ x: 10, y: 10, width: 20, height: 20 }];
  const settledAs = (bare: Prepared, size: { width: number; height: number }) => ({
    ...bare,
    again: async (): Promise<Prepared> => {
      const [page] = bare.image.info.pages;
      const info = { ...bare.image.info, pages: [{ ...page, size }] as const };
      return { ...bare, image: { ...bare.image, info } };
    },
  });

  it("is redacted again when it is prepared again, unless the page's size changes", async () => {
    const bare = await prepare();
    const same = await covered(
      settledAs(bare, { width: 1000, height: 800 }),
      { redactions },
      signal,
    );
    expect((await same.again?.())?.plan.cover).toEqual({ redactions });
    const other = await covered(
      settledAs(bare, { width: 800, height: 1000 }),
      { redactions },
      signal,
    );
    await expect(other.again?.()).rejects.toMatchObject({ failure: "busy" });
  });

  it("is redacted when it is prepared again even if nothing touched it at first", async () => {
    const far = [{ x: 900, y: 700, width: 9, height: 9 }];
    const { plan, again } = await covered(
      settledAs(await prepare(), { width: 700, height: 500 }),
      { redactions: far },
      signal,
    );
    expect(plan.cover).toBeUndefined();
    await expect(again?.()).rejects.toMatchObject({ failure: "busy" });
  });
});

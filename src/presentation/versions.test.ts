import { expect, test } from "vitest";
import { Config } from "../config/store.ts";
import { unconstrained } from "../core/identifier.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import { limitKeys } from "../iiif/limits.ts";
import {
  canvasesAmongOthers,
  imageBehavior,
  imageDescription,
  ownCanvases,
  type PresentedImage,
} from "./canvases.ts";
import { english, unspecified } from "./texts.ts";
import { v2 } from "./v2.ts";
import { v3 } from "./v3.ts";
import type { ManifestView } from "./views.ts";

const base = "https://images.example.org";

const pageOf = (width: number, height: number, orientation: Page["orientation"] = 1): Page => ({
  size: { width, height },
  orientation,
  levels: [{ size: { width, height }, tile: { width, height } }],
  colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
});

const imageOf = (
  info: ImageInfo,
  more: Partial<PresentedImage> = {},
  values: Record<string, unknown> = {},
): PresentedImage => ({
  name: "map.tif",
  info,
  embedded: {},
  limits: new Config(values).view(limitKeys)(),
  constraint: unconstrained,
  address: (page) => ({
    canvas: `${base}/canvas/${page}`,
    services: ([3, 2] as const).map((version) => ({
      version,
      uri: `${base}/iiif/${version}/map.tif${page === 1 ? "" : `;${page}`}`,
      level: 2,
    })),
  }),
  ...more,
});

const manifestOf = (image: PresentedImage): ManifestView => {
  const [first, ...others] = ownCanvases(image);
  if (first === undefined) throw new Error("Expected a canvas");
  return {
    id: `${base}/presentation/3/map.tif/manifest.json`,
    ...imageDescription(image),
    behavior: imageBehavior(image),
    canvases: [first, ...others],
  };
};

const one: ImageInfo = { format: "tif", pages: [pageOf(4_000, 3_000, 6)] };

test("a manifest of version 3 has an upright canvas, painted by the enabled services", () => {
  expect(v3.manifest(manifestOf(imageOf(one)))).toEqual({
    "@context": "http://iiif.io/api/presentation/3/context.json",
    id: `${base}/presentation/3/map.tif/manifest.json`,
    type: "Manifest",
    label: { none: ["map.tif"] },
    behavior: ["individuals"],
    thumbnail: [expect.objectContaining({ width: 188, height: 250 })],
    items: [
      {
        id: `${base}/canvas/1`,
        type: "Canvas",
        label: { none: ["map.tif"] },
        width: 3_000,
        height: 4_000,
        thumbnail: [
          {
            id: `${base}/iiif/3/map.tif/full/188,250/0/default.jpg`,
            type: "Image",
            format: "image/jpeg",
            width: 188,
            height: 250,
            service: expect.any(Array),
          },
        ],
        items: [
          {
            id: `${base}/canvas/1/page`,
            type: "AnnotationPage",
            items: [
              {
                id: `${base}/canvas/1/painting`,
                type: "Annotation",
                motivation: "painting",
                target: `${base}/canvas/1`,
                body: {
                  // The full size has more pixels than a response may have.
                  id: `${base}/iiif/3/map.tif/full/1500,2000/0/default.jpg`,
                  type: "Image",
                  format: "image/jpeg",
                  width: 1_500,
                  height: 2_000,
                  service: [
                    { id: `${base}/iiif/3/map.tif`, type: "ImageService3", profile: "level2" },
                    {
                      "@id": `${base}/iiif/2/map.tif`,
                      "@type": "ImageService2",
                      profile: "http://iiif.io/api/image/2/level2.json",
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
  });
});

test("a manifest of version 2 says the same in its own words, with Image API 2", () => {
  const image = imageOf(one, {
    embedded: {
      label: { fr: ["Paris"] },
      metadata: [{ label: english("Creator"), value: unspecified("A", "B") }],
      rights: "http://creativecommons.org/licenses/by/4.0/",
      requiredStatement: { label: english("Rights"), value: unspecified("© A") },
    },
  });
  expect(v2.manifest({ ...manifestOf(image), viewingDirection: "right-to-left" })).toEqual({
    "@context": "http://iiif.io/api/presentation/2/context.json",
    "@id": `${base}/presentation/3/map.tif/manifest.json`,
    "@type": "sc:Manifest",
    label: { "@value": "Paris", "@language": "fr" },
    metadata: [{ label: { "@value": "Creator", "@language": "en" }, value: ["A", "B"] }],
    attribution: "© A",
    license: "http://creativecommons.org/licenses/by/4.0/",
    viewingDirection: "right-to-left",
    viewingHint: "individuals",
    thumbnail: expect.any(Object),
    sequences: [
      {
        "@id": `${base}/presentation/3/map.tif/sequence`,
        "@type": "sc:Sequence",
        canvases: [
          {
            "@id": `${base}/canvas/1`,
            "@type": "sc:Canvas",
            label: { "@value": "Paris", "@language": "fr" },
            width: 3_000,
            height: 4_000,
            thumbnail: expect.any(Object),
            images: [
              {
                "@id": `${base}/canvas/1/painting`,
                "@type": "oa:Annotation",
                motivation: "sc:painting",
                on: `${base}/canvas/1`,
                resource: {
                  "@id": `${base}/iiif/3/map.tif/full/1500,2000/0/default.jpg`,
                  "@type": "dctypes:Image",
                  format: "image/jpeg",
                  width: 1_500,
                  height: 2_000,
                  service: {
                    "@context": "http://iiif.io/api/image/2/context.json",
                    "@id": `${base}/iiif/2/map.tif`,
                    profile: "http://iiif.io/api/image/2/level2.json",
                  },
                },
              },
            ],
          },
        ],
      },
    ],
  });
});

test.each([
  ["a PDF of two pages", { format: "pdf", pages: [pageOf(10, 20), pageOf(90, 20)] }, "paged", 2],
  ["scans of two pages", { format: "tif", pages: [pageOf(100, 99), pageOf(99, 90)] }, "paged", 2],
  ["unlike pages", { format: "tif", pages: [pageOf(100, 99), pageOf(9, 9)] }, "individuals", 2],
  ["a PDF of one page", { format: "pdf", pages: [pageOf(10, 20)] }, "individuals", 1],
  ["an animation", { format: "gif", pages: [pageOf(9, 9), pageOf(9, 9)] }, "individuals", 1],
  ["a video", { format: "mp4", pages: [pageOf(9, 9)], seconds: 60 }, "individuals", 1],
] as const)("%s is laid out as such", (_, info, behavior, canvases) => {
  const image = imageOf(info as unknown as ImageInfo);
  expect(imageBehavior(image)).toBe(behavior);
  expect(ownCanvases(image)).toHaveLength(canvases);
});

test("pages are numbered in the image's own manifest, and named among others", () => {
  const image = imageOf({ format: "pdf", pages: [pageOf(10, 20), pageOf(10, 20)] });
  expect(ownCanvases(image).map(({ label }) => label)).toEqual([{ none: ["1"] }, { none: ["2"] }]);
  expect(canvasesAmongOthers(image).map(({ label }) => label)).toEqual([
    { none: ["map.tif (1)"] },
    { none: ["map.tif (2)"] },
  ]);
});

test("a side file orders, omits and labels pages, and does not add any", () => {
  const entry = {
    label: english("A book"),
    pages: [{ page: 3, label: english("Cover") }, { page: 1 }, { page: 7 }],
  };
  const info: ImageInfo = { format: "pdf", pages: [pageOf(1, 2), pageOf(3, 4), pageOf(5, 6)] };
  const image = imageOf(info, { entry });
  expect(imageDescription(image)).toEqual({ label: english("A book") });
  expect(ownCanvases(image).map(({ id, label, size }) => [id, label, size.width])).toEqual([
    [`${base}/canvas/3`, english("Cover"), 5],
    [`${base}/canvas/1`, { none: ["1"] }, 1],
  ]);
});

test("a constrained or confined image has the sizes of its info.json", () => {
  const constraint = { numerator: 1, denominator: 2 };
  const [constrained] = ownCanvases(imageOf(one, { constraint }));
  expect(constrained).toMatchObject({
    size: { width: 1_500, height: 2_000 },
    image: { uri: `${base}/iiif/3/map.tif/full/max/0/default.jpg` },
  });
  const [confined] = ownCanvases(imageOf(one, { confinement: { side: 300 } }));
  expect(confined).toMatchObject({
    size: { width: 3_000, height: 4_000 },
    image: { uri: `${base}/iiif/3/map.tif/full/225,300/0/default.jpg` },
  });
});

test("collections refer to what is in them and to the one they are in", () => {
  const label = unspecified("maps");
  const top = { kind: "collection", id: `${base}/top`, label } as const;
  const items = [
    { kind: "manifest", id: `${base}/m`, label },
    { kind: "collection", id: `${base}/c`, label },
  ] as const;
  expect(v3.collection({ id: `${base}/here`, label, items, partOf: top })).toEqual({
    "@context": v3.context,
    id: `${base}/here`,
    type: "Collection",
    label,
    partOf: [{ id: `${base}/top`, type: "Collection", label }],
    items: [
      { id: `${base}/m`, type: "Manifest", label },
      { id: `${base}/c`, type: "Collection", label },
    ],
  });
  expect(v2.collection({ id: `${base}/top`, label, items })).toEqual({
    "@context": v2.context,
    "@id": `${base}/top`,
    "@type": "sc:Collection",
    label: "maps",
    viewingHint: "top",
    collections: [{ "@id": `${base}/c`, "@type": "sc:Collection", label: "maps" }],
    manifests: [{ "@id": `${base}/m`, "@type": "sc:Manifest", label: "maps" }],
  });
});

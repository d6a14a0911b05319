import type { InformationView } from "../src/iiif/version.ts";
import { limitsOf, pageOf } from "./pages.ts";

/** The input of an information document of a plain 1000x800 image, with changes. */
export const viewOf = (facts: Partial<InformationView> = {}): InformationView => ({
  uri: "https://example.org/iiif/map.tif",
  page: pageOf(1000, 800),
  constraint: { numerator: 1, denominator: 1 },
  outputs: ["jpg", "png", "tif", "gif", "webp", "avif"],
  preferred: [],
  limits: limitsOf(),
  extra: {},
  ...facts,
});

import { v1 } from "../iiif/v1.ts";
import { v2 } from "../iiif/v2.ts";
import { v3 } from "../iiif/v3.ts";
import type { ImageServiceView } from "./views.ts";

const versions = { 1: v1, 2: v2, 3: v3 } as const;

/** The JSON-LD context of a version of the Image API. */
export const contextOf = (version: ImageServiceView["version"]): string =>
  versions[version].context;

/** The document that defines the compliance level of a service. */
export const complianceUri = ({ version, level }: Omit<ImageServiceView, "uri">): string =>
  versions[version].profile.replace("level2", `level${level}`);

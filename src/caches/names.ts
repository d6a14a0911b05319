import { hash, imageHash } from "../core/plan.ts";

/**
 * Names of entries are `image/<image>/<plan>` and `info/<image>`, where both are 32 hexadecimal
 * digits. Caches may rely on that, and on being asked to remove or count only prefixes made here.
 */
export const entryName = /^(?:image\/[0-9a-f]{32}\/[0-9a-f]{32}|info\/[0-9a-f]{32})$/;

/** The name of a derivative by its plan's key, the image's part of which it keeps. */
export const derivativeName = (planKey: string): string => {
  const end = planKey.indexOf("/") + 1;
  return `${derivativePrefix}${planKey.slice(0, end)}${hash(planKey.slice(end))}`;
};

/** The name of an image's info. */
export const infoName = (identifier: string): string => `${infoPrefix}${imageHash(identifier)}`;

export const derivativePrefix = "image/";
export const infoPrefix = "info/";

/** The common prefix of all derivatives of one image. */
export const prefixesOf = (identifier: string): readonly string[] => [
  `${derivativePrefix}${imageHash(identifier)}/`,
  infoName(identifier),
];

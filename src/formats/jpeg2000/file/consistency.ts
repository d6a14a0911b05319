import { fail } from "../../../core/errors.ts";
import { sameSize } from "../../../core/geometry.ts";
import type { Codestream, CodestreamHeader } from "../codestream/index.ts";
import type { FileHeader } from "./header.ts";

/** Maximum number of components: all are examined. */
const maxComponents = 256;

/** Throws `unreadable` where a file contradicts its codestream, or the codestream itself. */
export const checkAgreement = (
  file: FileHeader,
  { header, place }: Pick<Codestream, "header" | "place">,
): void => {
  const { image, components, transformed } = header;
  if (file.size !== undefined && !sameSize(file.size, image))
    fail(
      "unreadable",
      `Expected a JPEG 2000 of ${file.size.width} x ${file.size.height}, as its header says; it has ${image.width} x ${image.height}.`,
    );
  if (components.length > maxComponents)
    fail(
      "unreadable",
      `Expected a JPEG 2000 of at most ${maxComponents} components; this one has ${components.length}.`,
    );
  const [first, ...others] = components.slice(0, 3);
  const areAlike =
    others.length === 2 && others.every(({ dx, dy }) => dx === first?.dx && dy === first.dy);
  // ISO/IEC 15444-1, annex G.
  if (transformed && !areAlike)
    fail(
      "unreadable",
      "The JPEG 2000 uses a component transform, which needs three components of the same size.",
    );
  const min = minBytes(header);
  if (place.length < min)
    fail(
      "unreadable",
      `Expected a codestream of at least ${min} bytes according to its header; it has ${place.length}.`,
    );
};

/**
 * Minimum bytes of a codestream (ISO/IEC 15444-1, annex A): SOC, SIZ, COD, QCD, EOC, and for each
 * tile SOT, SOD and its packets, of at least a byte each (B.9): one per layer of each component
 * with a sample in every tile, and if the only tile is large enough, of each of its resolutions.
 */
const minBytes = ({
  image,
  components,
  layers,
  levels,
  columns,
  rows,
}: CodestreamHeader): number => {
  const everywhere = components.filter(({ dx, dy }) => dx === 1 && dy === 1).length;
  const isLarge = columns * rows === 1 && Math.min(image.width, image.height) >= 2 ** levels;
  const packets = everywhere * layers * (isLarge ? levels + 1 : 1);
  return 63 + 3 * components.length + columns * rows * (14 + packets);
};

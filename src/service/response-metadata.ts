import { planKey } from "../core/plan.ts";
import { carriesMetadata } from "../formats/write/embedding/index.ts";
import type { Prepared } from "./prepared.ts";

/**
 * The same request with metadata written into its response as XMP, under a key of its own; null
 * where none is to be. A file is then never sent as it is, since that would show other metadata
 * than was decided. As it was where the format has no place for any.
 */
export const withResponseMetadata = (prepared: Prepared, xmp: string | null): Prepared => {
  const { again, plan: before } = prepared;
  const isWritten = xmp !== null && carriesMetadata(before.format);
  const plan =
    isWritten || before.whole === true
      ? { ...before, whole: false, ...(isWritten && { xmp }) }
      : undefined;
  return {
    ...prepared,
    ...(plan && { plan, key: planKey(plan) }),
    ...(again && { again: async () => withResponseMetadata(await again(), xmp) }),
  };
};

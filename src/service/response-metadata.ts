import { planKey } from "../core/plan.ts";
import { carriesMetadata } from "../formats/write/embedding/index.ts";
import type { Prepared } from "./prepared.ts";

/**
 * The same request with metadata written into its response as XMP, under a key of its own; null
 * removes it. A file is then never sent as it is, since it would contain other metadata. Unchanged
 * where the format cannot hold any.
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

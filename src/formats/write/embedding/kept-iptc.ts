import { decodedDatasets, Findings } from "../../metadata/index.ts";

/** Maximum bytes of all copied datasets, and of one, whose length then has two bytes. */
const max = 60_000;
const longest = 32_767;

/**
 * The IPTC datasets that describe the image (IIM 4.2, records 1 and 2), as far as intact, without
 * its preview; undefined where there are none.
 */
export const keptIptc = (block: Buffer): Uint8Array | undefined => {
  const parts: Buffer[] = [];
  let left = max;
  for (const { key, bytes } of decodedDatasets(block, new Findings())) {
    const [record = 0, number = 0] = key.split(":").map(Number);
    const isPreview = record === 2 && number >= 200 && number <= 202;
    if (record < 1 || record > 2 || isPreview || bytes.length > longest || bytes.length + 5 > left)
      continue;
    const head = Buffer.from([0x1c, record, number, 0, 0]);
    head.writeUInt16BE(bytes.length, 3);
    parts.push(head, bytes);
    left -= bytes.length + 5;
  }
  return parts.length === 0 ? undefined : Buffer.concat(parts);
};

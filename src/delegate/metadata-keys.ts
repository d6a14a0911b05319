// Loaded by delegates as part of "vitrine", as text: only types may be imported here.
import type { DelegateContext } from "../core/delegate.ts";

/** Which metadata is included. */
export interface MetadataKeysOptions {
  /** Whether to include where an image was taken (GPS fields); false. */
  readonly location?: boolean;
}

/**
 * Keys for info.json with the metadata of a context: `exif`, `iptc` and `xmp`, each absent where
 * there is none. Bytes, and texts of more than 4,096 characters, are omitted; and of what would be
 * too much for info.json, first `xmp`, then `exif`.
 */
export const metadataKeys = (
  { metadata }: Pick<DelegateContext, "metadata">,
  { location = false }: MetadataKeysOptions = {},
): Record<string, unknown> => {
  const isTold = (name: string): boolean => location || !/(?:^|:)GPS/.test(name);
  const told = (value: unknown): unknown => {
    if (typeof value === "string") return value.length > 4_096 ? undefined : value;
    if (typeof value !== "object" || value === null) return value;
    if (ArrayBuffer.isView(value)) return undefined;
    if (Array.isArray(value)) return value.map(told).filter((one) => one !== undefined);
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => isTold(name))
        .map(([name, one]) => [name, told(one)])
        .filter(([, one]) => one !== undefined),
    );
  };
  const keys: Record<string, unknown> = {};
  for (const [key, name] of [
    ["iptc", "iptc"],
    ["exif", "exif"],
    ["xmp", "xmp_elements"],
  ] as const) {
    const value = told(metadata?.[name]);
    if (typeof value !== "object" || value === null || Object.keys(value).length === 0) continue;
    const more = { ...keys, [key]: value };
    if (new TextEncoder().encode(JSON.stringify(more)).length <= 49_152) keys[key] = value;
  }
  return keys;
};

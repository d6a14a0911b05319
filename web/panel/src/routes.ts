/**
 * The sections of the panel, in the order of the menu; the first is shown where none is asked for.
 */
export const sections = [
  "overview",
  "images",
  "access",
  "configuration",
  "caches",
  "logs",
  "formats",
] as const;
export type Section = (typeof sections)[number];

/** Where one is in the panel. */
export interface Route {
  readonly section: Section;
  /**
   * What of it is shown, decoded: the identifier of an image, the text that keys are searched for.
   */
  readonly detail: string;
}

/**
 * A route from a location's hash, as in `#/images/maps%2Fa.tif`; what cannot be understood is the
 * first section.
 */
export const parseRoute = (hash: string): Route => {
  const [, name = "", detail = ""] = /^#?\/?([a-z]*)(?:\/(.*))?$/s.exec(hash) ?? [];
  const section = sections.find((known) => known === name);
  if (section === undefined) return { section: sections[0], detail: "" };
  try {
    return { section, detail: decodeURIComponent(detail) };
  } catch {
    return { section, detail: "" };
  }
};

/** The hash of a route, with its `#`. */
export const hashOf = (section: Section, detail = ""): string =>
  detail === "" ? `#/${section}` : `#/${section}/${encodeURIComponent(detail)}`;

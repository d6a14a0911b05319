/** The sections of the panel, in menu order; the first is the default. */
export const sections = [
  "overview",
  "images",
  "access",
  "configuration",
  "pyramids",
  "caches",
  "logs",
  "formats",
] as const;
export type Section = (typeof sections)[number];

/** A position in the panel. */
export interface Route {
  readonly section: Section;
  /** The decoded item in it: an image's identifier, or a search text. */
  readonly detail: string;
}

/** Parses a location's hash, as in `#/images/maps%2Fa.tif`; an invalid one is the first section. */
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

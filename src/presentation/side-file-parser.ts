import { assign, descriptionFields } from "./description-reading.ts";
import type { ImageEntry, PageEntry, SideFile } from "./side-file.ts";
import { behaviors, type Description, viewingDirections } from "./views.ts";
import { type YamlNode, YamlReading } from "./yaml-reading.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A parsed side file and its errors. */
export interface ParsedSideFile {
  /** Without invalid values. */
  readonly file: SideFile;
  /** Messages with line numbers; empty if the file is valid. */
  readonly faults: readonly string[];
}

/** Parses a side file in YAML or JSON. Never throws: invalid parts are skipped and reported. */
export const parseSideFile = (text: string): ParsedSideFile => {
  const reading = new YamlReading(text);
  const file: Mutable<SideFile> = {};
  if (reading.root !== null)
    reading.map(reading.root, "side file", {
      ...descriptionFields(reading, "side file", file),
      ...layoutFields(reading, file),
      order: (node) =>
        assign(
          file,
          "order",
          reading.list(node, "order").flatMap((item) => reading.text(item, "order") ?? []),
        ),
      images: (node) =>
        assign(
          file,
          "images",
          new Map(
            reading
              .entries(node, "images")
              .map(([name, value]) => [name, imageEntry(reading, name, value)]),
          ),
        ),
    });
  return { file, faults: reading.faults };
};

const layoutFields = (
  reading: YamlReading,
  into: Mutable<Pick<SideFile, "behavior" | "viewingDirection">>,
) => ({
  behavior: (node: YamlNode) => assign(into, "behavior", oneOf(reading, node, behaviors)),
  viewingDirection: (node: YamlNode) =>
    assign(into, "viewingDirection", oneOf(reading, node, viewingDirections)),
});

const imageEntry = (reading: YamlReading, name: string, node: YamlNode): ImageEntry => {
  const entry: Mutable<ImageEntry> = {};
  reading.map(node, name, {
    ...descriptionFields(reading, name, entry),
    ...layoutFields(reading, entry),
    hide: (value) => {
      if (oneOf(reading, value, ["true", "false"]) === "true") entry.hide = true;
    },
    pages: (value) =>
      assign(
        entry,
        "pages",
        reading.list(value, `${name} pages`).flatMap((one) => pageEntry(reading, name, one) ?? []),
      ),
  });
  return entry;
};

/** A page number, alone or with a description of the page. */
const pageEntry = (reading: YamlReading, name: string, node: YamlNode): PageEntry | undefined => {
  if (!reading.isMap(node)) {
    const page = numberOf(reading, node, `${name} pages`);
    return page === undefined ? undefined : { page };
  }
  const said: Mutable<Description> = {};
  let page: number | undefined;
  reading.map(node, `${name} pages`, {
    page: (value) => {
      page = numberOf(reading, value, `${name} page`);
    },
    ...descriptionFields(reading, `${name} page`, said),
  });
  return page === undefined
    ? reading.fault(node, `${name} pages: expected the number of a page as 'page'`)
    : { page, ...said };
};

const numberOf = (reading: YamlReading, node: YamlNode, what: string): number | undefined => {
  const text = reading.text(node, what);
  if (text === undefined || /^[1-9]\d{0,8}$/.test(text))
    return text === undefined ? undefined : Number(text);
  return reading.fault(node, `${what}: expected a page number from 1 up, got '${text}'`);
};

const oneOf = <T extends string>(
  reading: YamlReading,
  node: YamlNode,
  words: readonly T[],
): T | undefined => {
  const text = reading.text(node, words.join(" or "));
  if (text === undefined) return undefined;
  const found = words.find((word) => word === text);
  return found ?? reading.fault(node, `expected one of ${words.join(", ")}, got '${text}'`);
};

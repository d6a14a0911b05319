import type { Fault, WrittenConfiguration } from "../../config/keys.ts";

/** A viewer on another site. */
export interface LinkedViewer {
  readonly label: string;
  /** An `http` or `https` URL in which `{manifest}` stands for the encoded URL of a manifest. */
  readonly template: string;
}

const key = "endpoint.landing.viewers";

/** The viewers of `endpoint.landing.viewers`; invalid entries are skipped. */
export const linkedViewers = (entries: readonly string[]): readonly LinkedViewer[] =>
  entries.map(readViewer).filter((viewer) => viewer !== undefined);

const readViewer = (entry: string): LinkedViewer | undefined => {
  const at = entry.indexOf("=");
  const label = entry.slice(0, Math.max(0, at)).replaceAll("_", " ").trim();
  const template = entry.slice(at + 1);
  const isUrl = /^https?:\/\//i.test(template) && URL.canParse(template);
  return label !== "" && isUrl && template.includes(placeholder) ? { label, template } : undefined;
};

const placeholder = "{manifest}";

/** The invalid entries of `endpoint.landing.viewers`. */
export const viewerFaults = ({ values }: WrittenConfiguration): readonly Fault[] => {
  const entries = values[key];
  if (!Array.isArray(entries) || (entries.length === 1 && entries[0] === "none")) return [];
  const [wrong] = entries.filter((entry) => readViewer(String(entry)) === undefined);
  if (wrong === undefined) return [];
  const expected = `label=URL, with http or https and ${placeholder} in the URL`;
  return [{ key, message: `${key}: expected ${expected}; got "${wrong}".` }];
};

import { rightsUri } from "./rights.ts";
import { english, type LanguageMap, unspecified } from "./texts.ts";
import type { Description, Homepage, LabelledValue, Provider } from "./views.ts";
import type { Fields, YamlNode, YamlReading } from "./yaml-reading.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Readers of the keys that describe a folder, an image or a page; they fill `into`. */
export const descriptionFields = (
  reading: YamlReading,
  what: string,
  into: Mutable<Description>,
): Fields => ({
  label: (node) => assign(into, "label", textsOf(reading, node, `${what} label`)),
  summary: (node) => assign(into, "summary", textsOf(reading, node, `${what} summary`)),
  metadata: (node) => assign(into, "metadata", pairsOf(reading, node, `${what} metadata`)),
  rights: (node) => assign(into, "rights", rightsOf(reading, node, `${what} rights`)),
  requiredStatement: (node) =>
    assign(into, "requiredStatement", statementOf(reading, node, `${what} requiredStatement`)),
  provider: (node) => assign(into, "provider", providerOf(reading, node, `${what} provider`)),
  homepage: (node) => assign(into, "homepage", homepageOf(reading, node, `${what} homepage`)),
});

/** Sets a property if the value is defined. */
export const assign = <T, K extends keyof T>(into: T, key: K, value: T[K] | undefined): void => {
  if (value !== undefined) into[key] = value;
};

/** A text, a list of texts, or texts by language. */
const textsOf = (reading: YamlReading, node: YamlNode, what: string): LanguageMap | undefined => {
  if (!reading.isMap(node)) {
    const texts = listOf(reading, node, what);
    return texts.length === 0 ? undefined : unspecified(...texts);
  }
  const byLanguage = reading.entries(node, what).flatMap(([language, value, place]) => {
    if (isLanguage.test(language)) return [[language, listOf(reading, value, what)] as const];
    reading.fault(place, `${what}: expected a language such as 'en' or 'none', got '${language}'`);
    return [];
  });
  const said = byLanguage.filter(([, texts]) => texts.length > 0);
  return said.length === 0 ? undefined : Object.fromEntries(said);
};

/** BCP 47, roughly; `none` is a text in no known language. */
const isLanguage = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/;

const listOf = (reading: YamlReading, node: YamlNode, what: string): readonly string[] =>
  (reading.isList(node) ? reading.list(node, what) : [node]).flatMap(
    (item) => reading.text(item, what) ?? [],
  );

/** A list of labels and values, or values by label. */
const pairsOf = (
  reading: YamlReading,
  node: YamlNode,
  what: string,
): readonly LabelledValue[] | undefined => {
  const pairs = reading.isMap(node)
    ? reading.entries(node, what).map(([label, value]) => {
        const texts = textsOf(reading, value, `${what} ${label}`);
        return texts && { label: unspecified(label), value: texts };
      })
    : reading.list(node, what).map((item) => pairOf(reading, item, what));
  const whole = pairs.filter((pair) => pair !== undefined);
  return whole.length === 0 ? undefined : whole;
};

const pairOf = (reading: YamlReading, node: YamlNode, what: string): LabelledValue | undefined => {
  const pair: Partial<Mutable<LabelledValue>> = {};
  reading.map(node, what, {
    label: (value) => assign(pair, "label", textsOf(reading, value, `${what} label`)),
    value: (value) => assign(pair, "value", textsOf(reading, value, `${what} value`)),
  });
  const { label, value } = pair;
  return label && value
    ? { label, value }
    : reading.fault(node, `${what}: expected a label and a value`);
};

const statementOf = (
  reading: YamlReading,
  node: YamlNode,
  what: string,
): LabelledValue | undefined => {
  if (reading.isMap(node)) return pairOf(reading, node, what);
  const value = textsOf(reading, node, what);
  return value && { label: english("Attribution"), value };
};

const rightsOf = (reading: YamlReading, node: YamlNode, what: string): string | undefined => {
  const text = reading.text(node, what);
  if (text === undefined) return undefined;
  return (
    rightsUri(text) ??
    reading.fault(
      node,
      `${what}: expected the URI of a Creative Commons licence or a RightsStatements.org statement, got '${text}'. Put other texts into requiredStatement.`,
    )
  );
};

const providerOf = (reading: YamlReading, node: YamlNode, what: string): Provider | undefined => {
  const provider: Partial<Mutable<Provider>> = {};
  reading.map(node, what, {
    id: (value) => assign(provider, "id", urlOf(reading, value, `${what} id`)),
    label: (value) => assign(provider, "label", textsOf(reading, value, `${what} label`)),
    homepage: (value) => assign(provider, "homepage", homepageOf(reading, value, what)),
    logo: (value) => assign(provider, "logo", urlOf(reading, value, `${what} logo`)),
  });
  const { id, label, ...rest } = provider;
  return id && label
    ? { id, label, ...rest }
    : reading.fault(node, `${what}: expected an id and a label`);
};

/** A URL, or one with a label. */
const homepageOf = (reading: YamlReading, node: YamlNode, what: string): Homepage | undefined => {
  if (!reading.isMap(node)) {
    const id = urlOf(reading, node, what);
    return id === undefined ? undefined : { id, label: english("Homepage") };
  }
  const page: Partial<Mutable<Homepage>> = {};
  reading.map(node, what, {
    id: (value) => assign(page, "id", urlOf(reading, value, `${what} id`)),
    label: (value) => assign(page, "label", textsOf(reading, value, `${what} label`)),
  });
  const { id, label = english("Homepage") } = page;
  return id ? { id, label } : reading.fault(node, `${what}: expected an id`);
};

const urlOf = (reading: YamlReading, node: YamlNode, what: string): string | undefined => {
  const text = reading.text(node, what);
  if (text === undefined || isWebUrl(text)) return text;
  return reading.fault(node, `${what}: expected a URL that begins with http, got '${text}'`);
};

/** Whether a text is an http or https URL, as required of all links in a manifest. */
export const isWebUrl = (text: string): boolean =>
  /^https?:\/\/[^\s"<>\\^`{|}]+$/i.test(text) && URL.canParse(text);

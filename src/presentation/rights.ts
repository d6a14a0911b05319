/**
 * The URI of a licence or rights statement in the form that Presentation 3.0 §3.1 requires for
 * `rights`: of Creative Commons or RightsStatements.org, with the scheme `http`. Undefined for any
 * other text, which belongs in a `requiredStatement`.
 */
export const rightsUri = (text: string): string | undefined => {
  const [, kind, terms] = licence.exec(text.trim()) ?? [];
  if (kind && terms) return `http://creativecommons.org/${kind}/${terms}/`.toLowerCase();
  const [, words] = statement.exec(text.trim()) ?? [];
  return words && `http://rightsstatements.org/vocab/${words}/`;
};

/** Including the suffixes of the web pages: `deed`, `deed.fr`, `legalcode`. */
const licence =
  /^https?:\/\/(?:www\.)?creativecommons\.org\/(licenses|publicdomain)\/([a-z+-]+\/\d\.\d(?:\/[a-z]{2,3})?)\/?(?:(?:deed|legalcode)(?:\.[\w-]+)?)?$/i;

const statement =
  /^https?:\/\/(?:www\.)?rightsstatements\.org\/(?:vocab|page)\/([A-Za-z]+(?:-[A-Za-z]+)*\/\d\.\d)\/?(?:\?.*)?$/i;

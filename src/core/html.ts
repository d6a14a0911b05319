/** Escapes text for HTML, including attributes. */
export const escapeHtml = (plain: string): string =>
  plain.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

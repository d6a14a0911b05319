/** Text that can stand anywhere in HTML, attributes included. */
export const escapeHtml = (plain: string): string =>
  plain.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

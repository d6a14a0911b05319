// The pages of a file: previous and next, a page's number, and a strip of thumbnails.

import { element, focusOn, make } from "./dom.js";
import { go, linkTo } from "./places.js";
import { ask } from "./server.js";
import { framed } from "./thumbnails.js";

/** Maximum number of thumbnails on the strip. */
const maxOnStrip = 50;

let current;

const askPages = (identifier, query = "") =>
  ask(`static/pages.json?identifier=${encodeURIComponent(identifier)}${query}`);

/** Requests an image's position among the pages of its file; undefined if that fails. */
export const pagesOf = (identifier) => askPages(identifier).catch(() => undefined);

export const hidePages = () => {
  current = undefined;
  element("pages").hidden = true;
};

/** Shows an image's position among the pages of its file, if it has several. */
export const showPages = async (identifier, pages) => {
  const isSame = current?.pages.identifier === pages?.identifier;
  current = undefined;
  const isOnly = pages?.previous === undefined && pages?.next === undefined;
  element("pages").hidden = isOnly;
  if (isOnly) return;
  current = { identifier, pages };
  const { page, pages: last, unit } = pages;
  element("unit").textContent = unit === "second" ? "Second" : "Page";
  element("number").value = page;
  element("number").setCustomValidity("");
  element("count").textContent = last === undefined ? "" : `of ${last}`;
  // A disabled button would lose the keyboard focus.
  for (const side of ["previous", "next"])
    element(side).ariaDisabled = String(pages[side] === undefined);
  if (!isSame || !mark(page)) await fillStrip(identifier, pages);
};

/** Marks a page on the strip; false if it is not on the strip. */
const mark = (page) => {
  const links = [...element("strip").querySelectorAll("a[data-page]")];
  const found = links.find(({ dataset }) => dataset.page === String(page));
  for (const link of links) link.ariaCurrent = link === found ? "page" : null;
  if (found === undefined) return false;
  const strip = element("strip");
  const held = strip.contains(document.activeElement);
  const middle = found.offsetLeft + found.offsetWidth / 2 - strip.clientWidth / 2;
  strip.scrollTo({ left: middle });
  if (held) focusOn(found);
  return true;
};

const fillStrip = async (identifier, { page, pages: last, unit }) => {
  const first = unit === "second" ? 0 : 1;
  const from = Math.max(first, Math.min(page - maxOnStrip / 2, (last ?? page) - maxOnStrip + 1));
  const { listed = [] } = await askPages(identifier, `&from=${from}&max=${maxOnStrip}`).catch(
    () => ({}),
  );
  if (current?.identifier !== identifier) return;
  const end = listed.at(-1)?.page;
  element("strip").replaceChildren(
    ...(from > first ? [further("Earlier …", Math.max(first, from - maxOnStrip / 2))] : []),
    ...listed.map(pageItem),
    ...(end !== undefined && (last === undefined || end < last)
      ? [further("Later …", Math.min(last ?? end + maxOnStrip, end + maxOnStrip / 2))]
      : []),
  );
  mark(page);
};

const pageItem = ({ page, identifier }) => {
  const link = make(
    "a",
    { href: linkTo({ kind: "image", text: identifier }), ariaLabel: `Page ${page}` },
    framed(identifier),
    make("span", { textContent: page }),
  );
  link.dataset.page = page;
  return make("li", {}, link);
};

/** A button at an end of the strip that opens a page further away. */
const further = (label, page) => {
  const button = make("button", { type: "button", textContent: label });
  button.addEventListener("click", () => void open(page));
  return make("li", {}, button);
};

/** Opens a page by its number; marks the field as invalid if the page does not exist. */
const open = async (page) => {
  if (current === undefined) return;
  const { identifier, pages } = current;
  const { listed } = await askPages(identifier, `&from=${page}&max=1`).catch(() => ({}));
  const [found] = listed ?? [];
  if (found?.page === page) return go({ kind: "image", text: found.identifier });
  const field = element("number");
  const last = pages.pages === undefined ? "" : ` to ${pages.pages}`;
  field.setCustomValidity(`Enter a number from ${pages.unit === "second" ? 0 : 1}${last}.`);
  field.reportValidity();
};

const turn = (side) => {
  const identifier = current?.pages[side];
  if (identifier !== undefined) go({ kind: "image", text: identifier });
};

for (const side of ["previous", "next"]) element(side).addEventListener("click", () => turn(side));

element("turn").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = element("number").value.trim();
  void open(/^\d+$/.test(text) ? Number(text) : -1);
});
element("number").addEventListener("input", () => element("number").setCustomValidity(""));
element("number").addEventListener("change", () => element("turn").requestSubmit());

/** The arrow keys turn pages, except in fields and in the viewer, where they have other uses. */
addEventListener("keydown", (event) => {
  const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (current === undefined || altKey || ctrlKey || metaKey || shiftKey) return;
  const isPanned = element("viewer").contains(target);
  if (target.matches?.("input") || (isPanned && key.startsWith("Arrow"))) return;
  const isPaged = isPanned || element("pages").contains(target);
  if (key === "ArrowLeft" || (isPaged && key === "PageUp")) turn("previous");
  else if (key === "ArrowRight" || (isPaged && key === "PageDown")) turn("next");
  else return;
  event.preventDefault();
});

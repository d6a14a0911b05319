// The gallery: the contents of a folder, or the results of a search, page by page.

import { cardOf } from "./cards.js";
import { crumbsTo } from "./crumbs.js";
import { element, focusOn, make, nameOf } from "./dom.js";
import { collectionOf, manifestLinks } from "./links.js";
import { lastPart, linkTo } from "./places.js";
import { ask, facts } from "./server.js";

/** Entries of the first page and of further ones. */
const firstPage = 60;
const laterPages = 120;

/** Number of lists that are kept for going back. */
const maxKept = 4;

/** Milliseconds before a search is continued whose names are still being read. */
const readingMs = 300;

/** By address of the place, the most recently used last. */
const kept = new Map();
let shown;

const isListed = facts.listed && facts.listable;

/** Shows a folder or a search, and restores its scroll position if it was shown before. */
export const showGallery = (place) => {
  const key = linkTo(place);
  const list = kept.get(key) ?? newList(place);
  kept.delete(key);
  kept.set(key, list);
  for (const [old] of [...kept].slice(0, -maxKept)) kept.delete(old);
  shown = list;
  element("pictures").replaceWith(list.items);
  describe(place);
  update(list);
  scrollTo(0, list.scrolled);
  if (list.opened?.isConnected) focusOn(list.opened);
  if (!list.isBegun) void more(list);
};

/** Saves the scroll position of the list. */
export const leaveGallery = () => {
  if (shown === undefined) return;
  shown.scrolled = scrollY;
  shown.opened = shown.items.contains(document.activeElement) ? document.activeElement : undefined;
  shown = undefined;
};

/** The element to focus when a place is shown: none where a card has the focus again. */
export const galleryFocus = () => (shown?.opened?.isConnected ? undefined : element("heading"));

const newList = (place) => ({
  place,
  items: make("ul", { id: "pictures", ariaLabel: "Folders and images" }),
  counts: { folder: 0, image: 0 },
  scrolled: 0,
});

const describe = ({ kind, text }) => {
  const isSearch = kind === "search";
  element("crumbs").replaceChildren(
    isSearch || text !== "" ? crumbsTo(isSearch ? "" : text, { isShown: !isSearch }) : "",
  );
  const title = isSearch ? `Results for “${text}”` : lastPart(text) || "All images";
  element("heading").replaceChildren(nameOf(isListed ? title : "An image server"));
  element("actions").replaceChildren(
    ...(isSearch || !isListed ? [] : manifestLinks(collectionOf(text), "collection")),
  );
  document.title = `${isListed ? title : "Start"} – Vitrine`;
};

/** Requests the next page of a list and appends it. */
const more = async (list, { focuses = false } = {}) => {
  if (list.isLoading || !isListed) return;
  Object.assign(list, { isLoading: true, problem: undefined });
  update(list);
  try {
    const page = await ask(nextOf(list));
    const cards = page.entries.map((entry) =>
      cardOf(entry, { placed: list.place.kind === "search" }),
    );
    for (const { kind } of page.entries) list.counts[kind]++;
    list.items.append(...cards);
    list.first ??= page.entries;
    Object.assign(list, { next: page.next, reason: page.reason, isBegun: true });
    if (focuses) cards[0]?.firstChild.focus();
  } catch ({ message, status }) {
    // A restarted server does not know the cursor.
    if (status === 400) list.next = undefined;
    Object.assign(list, { problem: message, isBegun: true });
  }
  list.isLoading = false;
  update(list);
  goOn(list);
};

const nextOf = ({ place: { kind, text }, next }) => {
  const query = new URLSearchParams({
    [kind === "search" ? "q" : "folder"]: text,
    max: next === undefined ? firstPage : laterPages,
    ...(next === undefined ? {} : { after: next }),
  });
  return `static/${kind === "search" ? "search" : "gallery"}.json?${query}`;
};

/** Requests more if the end of the list is in view or a search has found nothing yet. */
const goOn = (list) => {
  if (list !== shown || list.next === undefined || list.problem !== undefined) return;
  if (list.reason === "reading") setTimeout(() => list === shown && more(list), readingMs);
  else if (isEndNear) void more(list);
};

const update = (list) => {
  if (list !== shown) return;
  const { counts, problem, isLoading, next } = list;
  const isEmpty = counts.folder + counts.image === 0;
  const note = noteFor(list, isEmpty);
  element("note").hidden = note === undefined;
  element("note").replaceChildren(...(note ?? []));
  element("progress").textContent =
    isLoading || list.reason === "reading" ? "Loading …" : isEmpty ? "" : countOf(list);
  element("more").hidden = next === undefined && problem === undefined;
  element("more").textContent = problem === undefined ? "Show more" : "Try again";
  list.items.classList.toggle("loading", isEmpty && isLoading === true);
};

/** Why the list is empty or incomplete; undefined if it is neither. */
const noteFor = (list, isEmpty) => {
  const { place, problem, isBegun, reason } = list;
  if (!isListed) return unlisted();
  if (problem !== undefined) return [problem];
  if (!isBegun || list.isLoading || reason === "reading") return undefined;
  const named = place.kind === "search" ? identifierHint(place.text) : [];
  if (isEmpty && place.kind === "search")
    return ["No names of folders or images match.", partly(reason), " ", ...named];
  if (isEmpty) return ["This folder has no images."];
  if (reason !== undefined) return [partly(reason).trim()];
  return undefined;
};

const partly = (reason) => {
  if (reason === "bounded") return " There are more names than the server searches.";
  return reason === "failed" ? " The server could not read all names." : "";
};

const identifierHint = (text) => [
  "If it is an identifier, ",
  make("a", { href: linkTo({ kind: "image", text }) }, "open the image ", nameOf(text)),
  ".",
];

const unlisted = () => [
  facts.listed
    ? "The source of this server cannot be listed. Enter the identifier of an image above."
    : "Images are not listed here. Enter the identifier of an image above. An administrator can enable the gallery with the key endpoint.landing.list.",
];

const countOf = ({ counts, next }) => {
  const texts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}${count === 1 ? "" : "s"}`);
  return `${texts.join(", ")}${next === undefined ? "" : " so far"}`;
};

let isEndNear = false;

new IntersectionObserver(
  (changes) => {
    isEndNear = changes.at(-1).isIntersecting;
    if (isEndNear && shown) goOn(shown);
  },
  { rootMargin: "800px" },
).observe(element("more"));

element("more").addEventListener("click", () => {
  if (shown) void more(shown, { focuses: true });
});

/** Reloads the list to show new images, unless the user has scrolled down. */
const listAgain = async () => {
  const list = shown;
  if (list === undefined || !isListed || list.place.kind === "search") return;
  const total = list.counts.folder + list.counts.image;
  if (list.isLoading || total > firstPage || scrollY > 0) return;
  const { entries, next } = await ask(nextOf({ place: list.place })).catch(() => list);
  if (entries === undefined || JSON.stringify(entries) === JSON.stringify(list.first)) return;
  const again = Object.assign(newList(list.place), { isBegun: true, first: entries, next });
  for (const { kind } of entries) again.counts[kind]++;
  again.items.append(...entries.map((entry) => cardOf(entry, { placed: false })));
  kept.set(linkTo(list.place), again);
  if (shown === list) showGallery(list.place);
};

addEventListener("focus", () => void listAgain());

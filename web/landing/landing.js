// The script of the page at `/`: shows the gallery or the image that the address names.

import { element, focusOn } from "./dom.js";
import { galleryFocus, leaveGallery, showGallery } from "./gallery.js";
import { leaveImage, showImage } from "./image.js";
import { currentPlace, go, linkTo } from "./places.js";
import { address, facts } from "./server.js";

const start = { kind: "folder", text: "" };

/** Shows the place that the address names. */
const show = ({ isFirst = false } = {}) => {
  const place = currentPlace();
  const isImage = place.kind === "image";
  leaveGallery();
  if (!isImage) leaveImage();
  document.body.classList.toggle("viewing", isImage);
  element("gallery").hidden = isImage;
  element("picture").hidden = !isImage;
  element("words").value =
    place.kind === "search" || (isImage && !facts.searched) ? place.text : "";
  if (isImage) {
    scrollTo(0, 0);
    void showImage(place.text, { focuses: !isFirst });
  } else {
    showGallery(place);
    const target = galleryFocus();
    if (!isFirst && target && !element("search").contains(document.activeElement)) focusOn(target);
  }
};

const listEndpoints = () => {
  for (const code of element("endpoints").querySelectorAll("code"))
    code.textContent = new URL(address(code.textContent.slice(1))).pathname;
};

const prepareSearch = () => {
  element("home").href = linkTo(start);
  if (facts.searched) return;
  element("search").querySelector("label").textContent = "Identifier of an image";
  element("words").placeholder = "Identifier of an image";
  element("find").textContent = "Show";
};

element("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = element("words").value.trim();
  if (text === "") go(start);
  else go({ kind: facts.searched ? "search" : "image", text: text.slice(0, 1_000) });
});

element("skip").addEventListener("click", (event) => {
  // Its hash would be taken for an image.
  event.preventDefault();
  element("content").focus();
});

history.scrollRestoration = "manual";
addEventListener("hashchange", () => show());
listEndpoints();
prepareSearch();
show({ isFirst: true });

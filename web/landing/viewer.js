// The viewer: OpenSeadragon on an image, its buttons, and the address of what it shows.

import { element } from "./dom.js";
import { address, imageAddress, quality } from "./server.js";

let viewer;
let shown;

/** Loads OpenSeadragon when the first image is opened: the gallery does not need it. */
const library = () => {
  loading ??= new Promise((resolve, reject) => {
    // It adds a style element unless it finds one. The page's security policy forbids that, so the
    // rule is in image.css, and this is a placeholder for the element.
    const standIn = document.createElementNS("urn:vitrine", "style");
    standIn.setAttribute("data-openseadragon-mobile-css", "true");
    const script = document.createElement("script");
    script.src = address(document.body.dataset.viewer);
    script.onload = () => resolve(window.OpenSeadragon);
    script.onerror = () => {
      loading = undefined;
      reject(new Error("The viewer could not be loaded. Reload the page."));
    };
    document.head.append(standIn, script);
  });
  return loading;
};
let loading;

/** Drawing with WebGL in software takes a second per frame: without a GPU, a canvas is faster. */
const drawer = () =>
  document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true })
    ? "auto"
    : "canvas";

export const say = (text, { busy = false } = {}) => {
  element("message").textContent = text;
  element("message").hidden = text === "";
  element("message").classList.toggle("busy", busy);
};

export const closeViewer = () => {
  viewer?.destroy();
  viewer = undefined;
  shown = undefined;
  element("controls").hidden = true;
};

/** Shows an image by its info.json, if `isWanted` still returns true once all is loaded. */
export const view = async (identifier, info, isWanted) => {
  const OpenSeadragon = await library();
  if (!isWanted()) return;
  closeViewer();
  shown = info;
  // Tiles are requested from the origin of this page, whatever the server's public address is.
  const here = imageAddress(identifier);
  viewer = OpenSeadragon({
    element: element("viewer"),
    tileSources: { ...info, ...(info.id ? { id: here } : { "@id": here }) },
    showNavigationControl: false,
    showNavigator: matchMedia("(min-width: 761px)").matches,
    navigatorPosition: "BOTTOM_RIGHT",
    navigatorBackground: "var(--stage)",
    maxZoomPixelRatio: 4,
    drawer: drawer(),
    // Its default of one makes slow frames delay the requests for tiles.
    maxTilesPerFrame: 6,
    animationTime: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 0.6,
  });
  // An empty viewer would look broken until the first tile arrives.
  viewer.navigator?.element.classList.add("waiting");
  viewer.addOnceHandler("tile-loaded", () => {
    say("");
    viewer?.navigator?.element.classList.remove("waiting");
  });
  viewer.addOnceHandler("tile-load-failed", () => {
    if (element("message").classList.contains("busy")) say(`${identifier} cannot be shown.`);
  });
  viewer.addHandler("open", () => {
    element("controls").hidden = false;
    describeView();
  });
  viewer.addHandler("open-failed", () => say(`${identifier} cannot be shown.`));
  viewer.addHandler("animation-finish", describeView);
  viewer.addHandler("resize", describeView);
};

/** Pixels by which the bounds of a view on whole pixels may be off: they are fractions of the width. */
const rounding = 1e-3;

/** Writes the URL of the current view: an image request of the version in use. */
const describeView = () => {
  if (!shown || !viewer?.isOpen()) return;
  const item = viewer.world.getItemAt(0);
  const bounds = item.viewportToImageRectangle(viewer.viewport.getBounds());
  const left = Math.max(0, Math.floor(bounds.x + rounding));
  const top = Math.max(0, Math.floor(bounds.y + rounding));
  const width = Math.min(shown.width, Math.ceil(bounds.x + bounds.width - rounding)) - left;
  const height = Math.min(shown.height, Math.ceil(bounds.y + bounds.height - rounding)) - top;
  if (width < 1 || height < 1) return;
  const isWhole = width === shown.width && height === shown.height;
  const pixels = Math.ceil((width / bounds.width) * element("viewer").clientWidth);
  const region = isWhole ? "full" : `${left},${top},${width},${height}`;
  const uri = `${shown.id ?? shown["@id"]}/${region}/${Math.min(pixels, width)},/0/${quality}.jpg`;
  element("address").value = uri;
  element("link").href = uri;
};

const acts = {
  in: () => viewer.viewport.zoomBy(2),
  out: () => viewer.viewport.zoomBy(0.5),
  home: () => viewer.viewport.goHome(),
  full: () =>
    document.fullscreenElement ? document.exitFullscreen() : element("stage").requestFullscreen(),
};

for (const button of element("controls").children)
  button.addEventListener("click", () => {
    if (viewer) acts[button.dataset.act]();
  });

// The script of an export's viewer page: lists the images and shows the one that the hash names.
// All addresses are relative to the page.

const { OpenSeadragon } = window;
const element = (id) => document.getElementById(id);

// OpenSeadragon adds a style element unless it finds one. The page's security policy forbids that,
// so the rule is in viewer.css, and this is a placeholder for the element.
const standIn = document.createElementNS("urn:vitrine", "style");
standIn.setAttribute("data-openseadragon-mobile-css", "true");
document.head.append(standIn);

const fetched = async (path) => {
  const answer = await fetch(new URL(path, document.baseURI));
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return answer.json();
};

const make = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const say = (text) => {
  element("message").textContent = text;
  element("message").hidden = text === "";
};

/** Number of images that are listed at once. */
const step = 100;

let images = [];
let found = [];
let viewer;
let wanted;

const hashOf = ({ name }) => `#${encodeURIComponent(name)}`;

const chosen = () => {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
};

const item = (image) =>
  make(
    "li",
    {},
    make(
      "a",
      { href: hashOf(image), title: image.name },
      make("img", { src: image.thumbnail, alt: "", loading: "lazy", decoding: "async" }),
      image.name,
    ),
  );

const markChosen = () => {
  for (const link of element("pictures").querySelectorAll("a"))
    if (link.title === wanted) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
};

const listMore = () => {
  const list = element("pictures");
  const from = list.children.length;
  list.append(...found.slice(from, from + step).map(item));
  element("more").hidden = list.children.length >= found.length;
  markChosen();
};

const search = () => {
  const words = element("search").value.toLowerCase().split(/\s+/);
  found = images.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  element("count").textContent = `${found.length} ${found.length === 1 ? "image" : "images"}`;
  element("pictures").replaceChildren();
  listMore();
};

/** Drawing with WebGL in software takes a second per frame: without a GPU, a canvas is faster. */
const drawer = () =>
  document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true })
    ? "auto"
    : "canvas";

const show = async (image) => {
  wanted = image.name;
  viewer?.destroy();
  viewer = undefined;
  element("controls").hidden = true;
  say("Loading …");
  markChosen();
  const info = await fetched(`${image.path}/info.json`);
  if (wanted !== image.name) return;
  element("name").textContent = image.name;
  element("size").textContent = `${info.width} × ${info.height} pixels`;
  element("information").href = `${image.path}/info.json`;
  element("information").hidden = false;
  const here = new URL(image.path, document.baseURI).href;
  viewer = OpenSeadragon({
    element: element("viewer"),
    tileSources: { ...info, ...(info.id ? { id: here } : { "@id": here }) },
    showNavigationControl: false,
    maxZoomPixelRatio: 4,
    drawer: drawer(),
    // Its default of one makes slow frames delay the requests for tiles.
    maxTilesPerFrame: 6,
    animationTime: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 0.6,
  });
  viewer.addOnceHandler("tile-loaded", () => say(""));
  viewer.addOnceHandler("tile-load-failed", () => say(`${image.name} cannot be shown.`));
  viewer.addOnceHandler("open-failed", () => say(`${image.name} cannot be shown.`));
  viewer.addOnceHandler("open", () => {
    element("controls").hidden = false;
  });
};

const showChosen = () => {
  const name = chosen();
  const image = name === "" ? images[0] : images.find((one) => one.name === name);
  if (image === undefined)
    return say(
      name === "" ? "This export has no images." : "This export has no image of that name.",
    );
  show(image).catch((error) => say(`${image.name} cannot be shown. ${error.message}`));
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
element("search").addEventListener("input", search);
element("more").addEventListener("click", listMore);
addEventListener("hashchange", showChosen);

try {
  images = await fetched("vitrine-viewer/images.json");
  search();
  showChosen();
} catch (error) {
  say(`The images cannot be listed. ${error.message}`);
}

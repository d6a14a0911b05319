// The script of the page at `/`: lists the images and shows the one that the hash names.

const { OpenSeadragon } = window;
const element = (id) => document.getElementById(id);
const address = (path) => new URL(path, document.baseURI).href;

// OpenSeadragon adds a style element of its own unless it finds one, which the page's security
// policy forbids; landing.css has the rule instead, and this stands in for the element.
const standIn = document.createElementNS("urn:vitrine", "style");
standIn.setAttribute("data-openseadragon-mobile-css", "true");
document.head.append(standIn);

const ask = async (path) => {
  const answer = await fetch(address(path));
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return answer.json();
};

let facts = await ask("static/landing.json");

/** From the newest version that answers: its path without the slash, as `iiif/3`. */
const api = facts.endpoints
  .map(({ path }) => path.slice(1))
  .sort()
  .at(-1);
const quality = api?.endsWith("/1") ? "native" : "default";

/** The identifier that was last asked for, and the info.json of what is shown. */
let wanted;
let info;
let viewer;

const say = (text, { busy = false } = {}) => {
  element("message").textContent = text;
  element("message").hidden = text === "";
  element("message").classList.toggle("busy", busy);
};

const make = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const hashOf = (identifier) => `${location.href.split("#")[0]}#${encodeURIComponent(identifier)}`;

const listEndpoints = () => {
  element("version").textContent = facts.version;
  element("endpoints").replaceChildren(
    ...facts.endpoints.map(({ path, label }) =>
      make(
        "li",
        {},
        make("b", { textContent: label }),
        " ",
        make("code", { textContent: new URL(address(path.slice(1))).pathname }),
      ),
    ),
  );
};

const listPictures = () => {
  const note = element("note");
  note.hidden = facts.listed && facts.pictures.length > 0;
  note.textContent = facts.listed
    ? "There are no images to list."
    : "Images are not listed. An administrator can enable the list with the key endpoint.landing.list.";
  element("pictures").replaceChildren(
    ...facts.pictures.map(({ identifier, title }) =>
      make(
        "li",
        {},
        make(
          "a",
          { href: hashOf(identifier), title: identifier },
          make("img", {
            src: address(`${api}/${encodeURIComponent(identifier)}/full/!200,200/0/${quality}.jpg`),
            alt: "",
            loading: "lazy",
            decoding: "async",
          }),
          title,
        ),
      ),
    ),
  );
};

const chosen = () => {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
};

const markChosen = (identifier) => {
  for (const link of element("pictures").querySelectorAll("a")) {
    if (link.title === identifier) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
};

/** info.json of an identifier, or a sentence why there is none. */
const look = async (identifier) => {
  const answer = await fetch(address(`${api}/${encodeURIComponent(identifier)}/info.json`), {
    headers: { accept: "application/json" },
  });
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) return { found: body };
  return { problem: body.message ?? `The server answered ${answer.status}.` };
};

const show = async (identifier) => {
  wanted = identifier;
  viewer?.destroy();
  viewer = undefined;
  info = undefined;
  element("facts").classList.add("empty");
  element("controls").hidden = true;
  element("identifier").value = identifier;
  if (api === undefined) return say("No version of the Image API is enabled.");
  if (identifier === "") return say("Select an image.");
  say("Loading …", { busy: true });
  const [{ found, problem }, pages] = await Promise.all([
    look(identifier),
    pagesOf(identifier).catch(() => undefined),
  ]);
  if (wanted !== identifier) return;
  markChosen(pages?.identifier ?? identifier);
  if (problem) return say(`${identifier} cannot be shown. ${problem}`);
  info = found;
  // First, because it settles how much room the viewer has.
  tell(identifier, pages);
  view(identifier);
};

const pagesOf = (identifier) =>
  ask(`static/pages.json?identifier=${encodeURIComponent(identifier)}`);

const view = (identifier) => {
  // Tiles come from where this page comes from, whatever address the server is known under.
  const here = address(`${api}/${encodeURIComponent(identifier)}`);
  viewer = OpenSeadragon({
    element: element("viewer"),
    tileSources: { ...info, ...(info.id ? { id: here } : { "@id": here }) },
    showNavigationControl: false,
    showNavigator: matchMedia("(min-width: 761px)").matches,
    navigatorPosition: "BOTTOM_RIGHT",
    navigatorBackground: "var(--stage)",
    maxZoomPixelRatio: 4,
    animationTime: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 0.6,
  });
  // An empty viewer would look broken while the first tile is on its way.
  viewer.navigator?.element.classList.add("waiting");
  viewer.addOnceHandler("tile-loaded", () => {
    say("");
    viewer.navigator?.element.classList.remove("waiting");
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

const tell = (identifier, pages) => {
  element("name").textContent = pages?.identifier ?? identifier;
  element("size").textContent = `${info.width} × ${info.height} pixels`;
  element("information").replaceChildren(
    ...facts.endpoints.map(({ path, label }) =>
      make("a", {
        href: address(`${path.slice(1)}/${encodeURIComponent(identifier)}/info.json`),
        textContent: `info.json (${label.replace(/\D*/, "")})`,
      }),
    ),
  );
  element("facts").classList.remove("empty");
  element("pages").hidden = pages?.previous === undefined && pages?.next === undefined;
  const all = pages?.pages === undefined ? "" : ` of ${pages.pages}`;
  element("page").textContent = `${pages?.unit ?? "page"} ${pages?.page}${all}`;
  for (const side of ["previous", "next"]) {
    const button = element(side);
    button.disabled = pages?.[side] === undefined;
    button.onclick = () => {
      location.hash = encodeURIComponent(pages[side]);
    };
  }
};

/** Writes the address of what the viewer shows, as an image request of the version in use. */
const describeView = () => {
  if (!info || !viewer?.isOpen()) return;
  const item = viewer.world.getItemAt(0);
  const bounds = item.viewportToImageRectangle(viewer.viewport.getBounds());
  const left = Math.max(0, Math.floor(bounds.x));
  const top = Math.max(0, Math.floor(bounds.y));
  const width = Math.min(info.width, Math.ceil(bounds.x + bounds.width)) - left;
  const height = Math.min(info.height, Math.ceil(bounds.y + bounds.height)) - top;
  if (width < 1 || height < 1) return;
  const whole = width === info.width && height === info.height;
  const pixels = Math.ceil((width / bounds.width) * element("viewer").clientWidth);
  const region = whole ? "full" : `${left},${top},${width},${height}`;
  const uri = `${info.id ?? info["@id"]}/${region}/${Math.min(pixels, width)},/0/${quality}.jpg`;
  element("address").value = uri;
  element("link").href = uri;
};

const copy = async () => {
  const field = element("address");
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    // Only pages from HTTPS or this machine may use the clipboard; the old way is left for others.
    document.execCommand("copy");
  }
  element("copy").textContent = "Copied";
  setTimeout(() => {
    element("copy").textContent = "Copy";
  }, 1500);
};

const acts = {
  in: () => viewer.viewport.zoomBy(2),
  out: () => viewer.viewport.zoomBy(0.5),
  home: () => viewer.viewport.goHome(),
  full: () =>
    document.fullscreenElement ? document.exitFullscreen() : element("stage").requestFullscreen(),
};

const first = () => facts.pictures[0]?.identifier ?? "";

const showChosen = () =>
  show(chosen() || first()).catch(() => say("The server did not answer properly."));

for (const button of element("controls").children)
  button.addEventListener("click", () => {
    if (viewer) acts[button.dataset.act]();
  });
element("copy").addEventListener("click", copy);
element("open").addEventListener("submit", (event) => {
  event.preventDefault();
  location.hash = encodeURIComponent(element("identifier").value);
});
addEventListener("hashchange", showChosen);

/** Lists images added since. */
const listAgain = async () => {
  const before = JSON.stringify(facts.pictures);
  facts = await ask("static/landing.json").catch(() => facts);
  if (api === undefined || JSON.stringify(facts.pictures) === before) return;
  const current = element("pictures").querySelector("[aria-current]")?.title;
  listPictures();
  markChosen(current);
};

listEndpoints();
if (api !== undefined) listPictures();
void showChosen();
addEventListener("focus", listAgain);

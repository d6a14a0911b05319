// The script of the page at `/`: lists the pictures and shows the one that the hash names.

const { OpenSeadragon } = window;
const element = (id) => document.getElementById(id);
const address = (path) => new URL(path, document.baseURI).href;

// OpenSeadragon adds a style element of its own unless it finds one, which the page's security
// policy forbids; landing.css has the rule instead, and this stands in for the element.
const standIn = document.createElementNS("urn:vitrine", "style");
standIn.setAttribute("data-openseadragon-mobile-css", "true");
document.head.append(standIn);

const facts = await fetch("static/landing.json").then((answer) => answer.json());

/** From the newest version that answers: its path without the slash, as `iiif/3`. */
const api = facts.endpoints
  .map(({ path }) => path.slice(1))
  .sort()
  .at(-1);
const quality = api?.endsWith("/1") ? "native" : "default";

/** What is shown: the identifier without its page, the page from 1, info.json. */
let shown;
let viewer;

const say = (text) => {
  element("message").textContent = text;
  element("message").hidden = text === "";
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
    ? "There are no pictures to list."
    : "Pictures are not listed here. Whoever runs the server can switch the list on with the key endpoint.landing.list.";
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
  if (answer.ok) return { info: body };
  return { problem: body.message ?? `The server answered ${answer.status}.` };
};

const show = async (whole) => {
  const [, identifier, page] = /^(.*?)(?:;(\d+))?$/s.exec(whole);
  viewer?.destroy();
  viewer = undefined;
  shown = undefined;
  element("facts").classList.add("empty");
  element("controls").hidden = true;
  markChosen(identifier);
  element("identifier").value = whole;
  if (api === undefined) return say("No version of the Image API is switched on here.");
  if (whole === "") return say("Choose a picture.");
  say("…");
  const { info, problem } = await look(whole);
  // Another may have been chosen meanwhile.
  if (chosen() !== whole && whole !== first()) return;
  if (problem) return say(`${whole} cannot be shown. ${problem}`);
  shown = { identifier, page: Number(page ?? 1), info };
  // First, because it settles how much room the viewer has.
  tell(whole);
  view(whole, info);
};

const view = (whole, info) => {
  // Tiles come from where this page comes from, whatever address the server is known under.
  const here = address(`${api}/${encodeURIComponent(whole)}`);
  viewer = OpenSeadragon({
    element: element("viewer"),
    tileSources: { ...info, ...(info.id ? { id: here } : { "@id": here }) },
    showNavigationControl: false,
    showNavigator: matchMedia("(min-width: 761px)").matches,
    navigatorPosition: "BOTTOM_RIGHT",
    maxZoomPixelRatio: 4,
    animationTime: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 0.6,
  });
  viewer.addHandler("open", () => {
    say("");
    element("controls").hidden = false;
    describeView();
  });
  viewer.addHandler("open-failed", () => say(`${whole} cannot be shown.`));
  viewer.addHandler("animation-finish", describeView);
  viewer.addHandler("resize", describeView);
};

const tell = (whole) => {
  const { identifier, page, info } = shown;
  element("name").textContent = identifier;
  element("size").textContent = `${info.width} × ${info.height} pixels`;
  element("information").replaceChildren(
    ...facts.endpoints.map(({ path, label }) =>
      make("a", {
        href: address(`${path.slice(1)}/${encodeURIComponent(whole)}/info.json`),
        textContent: `info.json (${label.replace(/\D*/, "")})`,
      }),
    ),
  );
  element("facts").classList.remove("empty");
  element("pages").hidden = page === 1;
  void turnable(identifier, page);
};

/** Offers the pages before and after, where there are any. */
const turnable = async (identifier, page) => {
  element("page").textContent = `page ${page}`;
  element("previous").disabled = page === 1;
  element("next").disabled = true;
  if (!/\.(tiff?|ptif)$/i.test(identifier)) return;
  const { info } = await look(`${identifier};${page + 1}`);
  if (info === undefined || shown?.identifier !== identifier || shown.page !== page) return;
  element("next").disabled = false;
  element("pages").hidden = false;
};

const turn = (by) => {
  if (shown) location.hash = encodeURIComponent(`${shown.identifier};${shown.page + by}`);
};

/** Writes the address of what the viewer shows, as an image request of the version in use. */
const describeView = () => {
  if (!shown || !viewer?.isOpen()) return;
  const { info } = shown;
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
element("previous").addEventListener("click", () => turn(-1));
element("next").addEventListener("click", () => turn(1));
element("open").addEventListener("submit", (event) => {
  event.preventDefault();
  location.hash = encodeURIComponent(element("identifier").value);
});
addEventListener("hashchange", showChosen);

listEndpoints();
if (api !== undefined) listPictures();
void showChosen();

// One image: the viewer, its facts, and links.

import { copyOn } from "./copying.js";
import { crumbsTo } from "./crumbs.js";
import { element, focusOn, nameOf } from "./dom.js";
import { downloadLink, informationLinks, manifestLinks, manifestOf, viewerLinks } from "./links.js";
import { hidePages, pagesOf, showPages } from "./pages.js";
import { folderOf, lastPart } from "./places.js";
import { api, ask, facts } from "./server.js";
import { closeViewer, say, view } from "./viewer.js";

/** The identifier that was last requested, and the file of the image that is shown. */
let wanted;
let file;

/** Shows an image; switching between pages of a file does not move the focus. */
export const showImage = async (identifier, { focuses }) => {
  wanted = identifier;
  const isWanted = () => wanted === identifier;
  closeViewer();
  element("about").hidden = true;
  element("size").textContent = "";
  document.title = `${lastPart(identifier)} – Vitrine`;
  if (api === undefined) return say("No version of the Image API is enabled.");
  say("Loading …", { busy: true });
  const [info, pages] = await Promise.all([
    ask(`${api}/${encodeURIComponent(identifier)}/info.json`).catch((problem) => ({ problem })),
    pagesOf(identifier),
  ]);
  if (!isWanted()) return;
  const name = pages?.identifier ?? identifier;
  const isTurned = name === file;
  file = name;
  tellName(name);
  if (focuses && !isTurned) focusOn(element("name"));
  // First, because it determines the size of the viewer.
  const isPaged = showPages(identifier, info.problem ? undefined : pages);
  if (info.problem) say(`${identifier} cannot be shown. ${info.problem.message}`);
  else await open({ identifier, info, name, isWanted });
  await isPaged;
};

const open = async ({ identifier, info, name, isWanted }) => {
  tell(identifier, info, name);
  await view(identifier, info, isWanted).catch(({ message }) => say(message));
};

/** Closes the viewer and aborts its requests. */
export const leaveImage = () => {
  wanted = undefined;
  file = undefined;
  closeViewer();
  hidePages();
};

const tellName = (name) => {
  element("place").replaceChildren(
    facts.listed && facts.listable ? crumbsTo(folderOf(name), { isShown: false }) : "",
  );
  element("name").replaceChildren(nameOf(lastPart(name)));
  element("name").title = name;
};

const tell = (identifier, info, name) => {
  element("size").textContent = `${info.width} × ${info.height} pixels`;
  const manifest = manifestOf(name);
  element("uses").replaceChildren(
    downloadLink(identifier, info),
    ...manifestLinks(manifest, "manifest"),
  );
  element("viewers").replaceChildren(...viewerLinks(manifest));
  element("elsewhere").hidden = facts.viewers.length === 0;
  element("information").replaceChildren(...informationLinks(identifier));
  element("about").hidden = false;
};

element("copy").addEventListener("click", () => copyOn(element("copy"), element("address").value));
element("address").addEventListener("focus", () => element("address").select());

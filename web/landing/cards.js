// The cards of the gallery: a link to a folder or an image, with thumbnails.

import { icon, make, nameOf } from "./dom.js";
import { whenSeen } from "./lazy.js";
import { folderOf, linkTo } from "./places.js";
import { api, ask } from "./server.js";
import { framed } from "./thumbnails.js";

const folderIcon = "M1.5 3.5h5l1.5 2h6.5v8h-13z";

/** A list item for an entry; `placed` also shows which folder it is in. */
export const cardOf = (entry, { placed }) => {
  const isFolder = entry.kind === "folder";
  const path = isFolder ? entry.path : entry.identifier;
  const where = folderOf(path);
  return make(
    "li",
    { className: entry.kind },
    make(
      "a",
      { href: linkTo({ kind: entry.kind, text: path }), title: path },
      isFolder ? coverOf(entry) : pictureOf(entry),
      make(
        "span",
        { className: "name" },
        isFolder ? icon(folderIcon) : undefined,
        isFolder ? make("span", { className: "unseen", textContent: "Folder " }) : undefined,
        nameOf(entry.name),
      ),
      placed && where !== ""
        ? make("span", { className: "where" }, "in ", nameOf(where))
        : undefined,
    ),
  );
};

const pictureOf = ({ identifier }) =>
  api === undefined ? make("span", { className: "frame" }) : framed(identifier);

/** The first images in a folder, stacked; they are requested when the card comes into view. */
const coverOf = ({ path }) => {
  const cover = make("span", { className: "cover" }, make("span", { className: "frame waiting" }));
  if (api !== undefined) whenSeen(cover, () => fill(cover, path));
  return cover;
};

const fill = async (cover, path) => {
  const answer = await ask(`static/cover.json?folder=${encodeURIComponent(path)}`).catch(
    () => ({}),
  );
  const images = answer.images ?? [];
  cover.replaceChildren(
    ...(images.length > 0
      ? images.map(({ identifier }) => framed(identifier))
      : [make("span", { className: "frame empty" }, icon(folderIcon))]),
  );
};

// The path to a folder, as links to all folders on it.

import { make, nameOf } from "./dom.js";
import { linkTo } from "./places.js";

/** The folders on a path; the folder that is shown is not a link. */
export const crumbsTo = (folder, { isShown }) => {
  const parts = folder === "" ? [] : folder.split("/");
  const places = [
    { name: "All images", text: "" },
    ...parts.map((name, at) => ({ name, text: parts.slice(0, at + 1).join("/") })),
  ];
  const items = places.map(({ name, text }, at) => {
    const isLast = at === places.length - 1;
    return make(
      "li",
      {},
      isLast && isShown
        ? make("span", { ariaCurrent: "page" }, nameOf(name))
        : make("a", { href: linkTo({ kind: "folder", text }) }, nameOf(name)),
    );
  });
  return make("ol", { className: "crumbs" }, ...items);
};

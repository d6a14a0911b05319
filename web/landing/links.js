// Links of an image or a folder: manifests, viewers on other sites, downloads, info.json.

import { copyOn } from "./copying.js";
import { make } from "./dom.js";
import { lastPart } from "./places.js";
import { address, facts, imageAddress, quality } from "./server.js";

const presentation = `${facts.base}/presentation/3`;

/** The public address of an image's manifest. */
export const manifestOf = (identifier) =>
  `${presentation}/${encodeURIComponent(identifier)}/manifest.json`;

/** The public address of a folder's collection. */
export const collectionOf = (folder) =>
  `${presentation}/${folder === "" ? "" : `${encodeURIComponent(folder)}/`}collection.json`;

/** A link with a button that copies it; nothing if manifests are switched off. */
export const manifestLinks = (url, what) => {
  if (!facts.presentation) return [];
  const copy = make("button", { type: "button", textContent: `Copy ${what} link` });
  copy.addEventListener("click", () => copyOn(copy, url));
  const open = make("a", { href: url, className: "button" }, what[0].toUpperCase() + what.slice(1));
  return [copy, open];
};

/** Links to viewers on other sites, which open a manifest. */
export const viewerLinks = (manifest) =>
  facts.viewers.map(({ label, template }) =>
    make("a", {
      href: template.replaceAll("{manifest}", encodeURIComponent(manifest)),
      className: "button",
      target: "_blank",
      rel: "noopener noreferrer",
      textContent: label,
    }),
  );

/** Links to the image information in every version. */
export const informationLinks = (identifier) =>
  facts.endpoints.map(({ path, label }) =>
    make("a", {
      href: address(`${path.slice(1)}/${encodeURIComponent(identifier)}/info.json`),
      className: "button",
      title: `info.json of ${label}`,
      textContent: label.replace("Image API", "Version"),
    }),
  );

/** A link that downloads the image, as large as the server allows. */
export const downloadLink = (identifier, info) => {
  const size = quality === "native" ? "full" : "max";
  const [largest, isWhole] = largestOf(info);
  const name = `${lastPart(identifier).replace(/\.[^.;]*(?=;|$)/, "")}.jpg`;
  const plain = name.replace(/["\\]/g, "_").replace(/[^ -~]/g, "_");
  const disposition = encodeURIComponent(`attachment; filename="${plain}"`);
  return make("a", {
    href: `${imageAddress(identifier)}/full/${size}/0/${quality}.jpg?response-content-disposition=${disposition}`,
    className: "button",
    textContent:
      `Download JPEG${isWhole ? "" : " of"} ${isWhole ? "" : `${largest.width} × ${largest.height}`}`.trim(),
    title: `${largest.width} × ${largest.height} pixels${isWhole ? "" : ", the maximum that this server sends"}`,
  });
};

/** The size of the largest response by the limits in info.json, and whether that is full size. */
const largestOf = (info) => {
  const { width, height } = info;
  const [, ...more] = Array.isArray(info.profile) ? info.profile : [];
  const { maxWidth, maxHeight = maxWidth, maxArea } = Object.assign({}, ...more, info);
  const scale = Math.min(
    1,
    (maxWidth ?? width) / width,
    (maxHeight ?? height) / height,
    Math.sqrt((maxArea ?? width * height) / (width * height)),
  );
  const largest = { width: Math.floor(width * scale), height: Math.floor(height * scale) };
  return [largest, scale === 1];
};

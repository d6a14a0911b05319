// The places of the page and their addresses: a folder, a search, or an image.

/**
 * The place that the address names: `#folder=maps`, `#search=paris`, or an image's identifier.
 * Identifiers are encoded, so none looks like one of the others.
 */
export const currentPlace = () => {
  const [, kind, text] = /^#(?:(folder|search)=)?(.*)$/s.exec(location.hash) ?? [];
  const decoded = decode(text ?? "");
  if (kind !== undefined) return { kind, text: decoded };
  return decoded === "" ? { kind: "folder", text: "" } : { kind: "image", text: decoded };
};

const decode = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The address of a place, for links. */
export const linkTo = ({ kind, text }) =>
  `${location.href.split("#")[0]}#${kind === "image" ? "" : `${kind}=`}${encodeURIComponent(text)}`;

export const go = (place) => {
  location.href = linkTo(place);
};

/** The folder of an identifier or path; "" for the top-level one. */
export const folderOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** The last part of an identifier or a path. */
export const lastPart = (path) => path.slice(path.lastIndexOf("/") + 1);

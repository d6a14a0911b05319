import { fail } from "../core/errors.ts";
import { quoted } from "../core/identifier.ts";

/** The folder of an image in an export. */
export interface ExportName {
  /** The meta-identifier, decoded, such as `maps/a b.tif;2`. */
  readonly identifier: string;
  /**
   * Relative to the folder of a version of the API, with slashes: as servers decode a URL's path.
   */
  readonly path: string;
  /** The same percent-encoded; slashes stay, as parts of the URL's prefix (3.0 §2). */
  readonly uri: string;
}

/** The requirements of a target on names. */
export interface NameRules {
  /** Whether names must be valid on Windows. */
  readonly windows: boolean;
  /** Whether names that differ only in case or Unicode normalisation are the same. */
  readonly foldsCase: boolean;
}

/** The top-level folder with the files of the viewer page. */
export const viewerFolder = "vitrine-viewer";

/** The viewer page, at the top of an export. */
export const viewerPage = "index.html";

/** The record of what an export contains, at its top. */
export const stateFile = ".vitrine-export.json";

/** Maximum length of a part of a path in bytes: the limit of file systems. */
const maxPartBytes = 255;

/** Maximum length of a path in bytes: object keys may have 1,024, including the rest of the URL. */
const maxPathBytes = 800;

/**
 * The folder of an image by its meta-identifier. Throws `malformed` if no static server could serve
 * it or the target could not store it.
 */
export const exportName = (identifier: string, { windows }: NameRules): ExportName => {
  const parts = identifier.split("/");
  const problem =
    parts.map((part) => problemOf(part, windows)).find((found) => found !== undefined) ??
    problemOfWhole(identifier, parts);
  if (problem !== undefined)
    return fail(
      "malformed",
      `The image ${quoted(identifier)} cannot be exported: its identifier ${problem}. Rename the image.`,
    );
  return { identifier, path: identifier, uri: parts.map(encoded).join("/") };
};

const problemOf = (part: string, windows: boolean): string | undefined => {
  if (part === "") return "has an empty part between slashes, which servers remove";
  if (part === "." || part === "..") return `has a part '${part}', which servers resolve`;
  if (/\p{Surrogate}/u.test(part)) return "has an incomplete Unicode character (a lone surrogate)";
  if (/\p{Cc}/u.test(part)) return "has a control character";
  if (Buffer.byteLength(part) > maxPartBytes)
    return `has a part of more than ${maxPartBytes} bytes`;
  if (!windows) return undefined;
  const forbidden = /[<>:"\\|?*]/.exec(part);
  if (forbidden) return `has the character ${forbidden[0]}, which Windows does not allow in names`;
  if (/[. ]$/.test(part))
    return "has a part that ends in a dot or a space, which Windows does not allow";
  return devices.test(part) ? `has the part '${part}', which is a device on Windows` : undefined;
};

const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

const problemOfWhole = (
  identifier: string,
  [first = ""]: readonly string[],
): string | undefined => {
  if (Buffer.byteLength(identifier) > maxPathBytes) return `has more than ${maxPathBytes} bytes`;
  return first === viewerFolder || first === viewerPage || first.startsWith(".vitrine-export")
    ? `begins with '${first}', which is reserved for the export's own files`
    : undefined;
};

/** Some object stores decode a plus sign in a path as a space; other marks need no encoding. */
const encoded = (part: string): string =>
  encodeURIComponent(part).replace(/%(?:3A|2C|3B|3D|24|40)/g, decodeURIComponent);

/** The folders that are taken by images of an export. */
export class TakenNames {
  readonly #rules: NameRules;
  /** From the folded path to the identifier. */
  readonly #taken = new Map<string, string>();
  /** From a path to an identifier whose files would be among those of the image at that path. */
  readonly #inside = new Map<string, string>();

  constructor(rules: NameRules) {
    this.#rules = rules;
  }

  /** Takes a folder; throws `malformed` if another image has it or files in it. */
  take({ identifier, path }: ExportName): void {
    const key = this.#folded(path);
    const other = this.#taken.get(key) ?? this.#inside.get(key) ?? this.#outside(key);
    if (other !== undefined)
      fail(
        "malformed",
        `The images ${quoted(other)} and ${quoted(identifier)} cannot both be exported: their files would have the same names. Rename one of them.`,
      );
    this.#taken.set(key, identifier);
    for (const parent of containing(key)) this.#inside.set(parent, identifier);
  }

  #outside(key: string): string | undefined {
    return containing(key)
      .map((parent) => this.#taken.get(parent))
      .find((found) => found !== undefined);
  }

  #folded(path: string): string {
    return this.#rules.foldsCase ? path.normalize("NFC").toLowerCase() : path;
  }
}

/** The images whose own files would have the names of this one's folder. */
const containing = (path: string): readonly string[] => {
  const parts = path.split("/");
  return parts.flatMap((part, n) =>
    n > 0 && ownNames.test(part) ? [parts.slice(0, n).join("/")] : [],
  );
};

/** The names in an image's folder: documents and regions. */
const ownNames = /^(?:(?:info|manifest)\.json|full|\d+,\d+,\d+,\d+)$/;

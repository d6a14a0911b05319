import type { Size } from "../../src/core/geometry.ts";
import type { CorpusFile } from "../../test/corpus.ts";
import { type Answer, ask, pathOf } from "./client.ts";
import { gridOf, numbersOf, trouble } from "./grid.ts";
import { noGrid, otherwise } from "./otherwise.ts";
import { pagesOf, sampledPages, sizesOf } from "./wanted.ts";

/** The result of a file. */
export type Outcome = "right" | "refused" | "unread" | "wrong";

export interface Verdict {
  readonly file: CorpusFile;
  /** `refused`: as the manifest expects or allows; `unread`: refused, though it could be read. */
  readonly outcome: Outcome;
  /** What is not right. */
  readonly why?: string;
}

/** Requests everything that the manifest knows of a file. */
export const judge = async (base: URL, file: CorpusFile): Promise<Verdict> => {
  const said = (outcome: Outcome, why?: string): Verdict => ({
    file,
    outcome,
    ...(why === undefined ? {} : { why }),
  });
  const about = await ask(base, pathOf(file.path, 1, "info.json"));
  if (about.status !== 200) return said(...refusal(file, about));
  const size = sizeIn(about);
  const path = pathOf(file.path, 1, smallOf(size));
  const picture = await (file.expect === "ok" ? askPatiently(base, path) : ask(base, path));
  if (picture.status !== 200) return said(...refusal(file, picture));
  if (file.expect === "error") return said(...shown(file));
  // The right content of a corrupt file is unknown.
  if (file.expect === "error-or-image") return said("right");
  const why =
    sizeTrouble(file, size) ??
    (await colourTrouble(file, picture)) ??
    (await pageTrouble(base, file));
  return why === undefined ? said("right") : said("wrong", why);
};

/** A busy machine may take longer than the limit; that says nothing of the format. */
const askPatiently = async (base: URL, path: string): Promise<Answer> => {
  let answer = await ask(base, path);
  for (let more = 2; more > 0 && answer.status === 504; more--) answer = await ask(base, path);
  return answer;
};

/** Statuses of refusals: no file, however corrupt, may cause a server error. */
const refusal = (file: CorpusFile, { status, message }: Answer): readonly [Outcome, string] => {
  if (status === 0 || status === 500) return ["wrong", `${status || "no answer"}: ${message}`];
  if (file.expect !== "ok") return ["refused", message];
  const other = otherwise(file.path);
  return other?.refused ? ["refused", other.why] : ["unread", message];
};

/** A file that should not be an image, but is one. */
const shown = ({ path }: CorpusFile): readonly [Outcome, string?] =>
  otherwise(path)?.shown ? ["right"] : ["wrong", "shown, though it should be refused"];

/** The size in `info.json`. */
const sizeIn = ({ body }: Answer): Size => {
  const { width, height } = JSON.parse(Buffer.from(body).toString()) as Size;
  return { width, height };
};

/**
 * An image large enough to distinguish the sixteen cells; the whole one where a side would be zero
 * otherwise.
 */
const smallOf = ({ width, height }: Size): string =>
  Math.min(width, height) * side < Math.max(width, height)
    ? "full/max/0/default.png"
    : `full/!${side},${side}/0/default.png`;

const side = 128;

const sizeTrouble = (file: CorpusFile, { width, height }: Size): string | undefined => {
  const { sizes, near } = sizesOf(file);
  const other = otherwise(file.path)?.size;
  const wanted = other ? [other] : sizes;
  const max = near ? 1 : 0;
  const fits = wanted.some(
    (size) => Math.abs(size.width - width) <= max && Math.abs(size.height - height) <= max,
  );
  if (fits || wanted.length === 0) return undefined;
  const [size = { width: 0, height: 0 }] = wanted;
  return `${width} x ${height} instead of ${Math.round(size.width)} x ${Math.round(size.height)}`;
};

const colourTrouble = async (file: CorpusFile, { body }: Answer): Promise<string | undefined> => {
  const wanted = otherwise(file.path)?.grid ?? file.grid?.join("") ?? noGrid;
  // Grids all of one black are of images that the manifest's tool could not read.
  if (wanted === noGrid || /^0*$/.test(wanted) || !divides(file)) return undefined;
  return trouble(await gridOf(body), numbersOf(wanted), maxApart(file));
};

/** So small that the cells of a grid are not whole pixels. */
const divides = ({ width = 0, height = 0 }: CorpusFile): boolean => Math.min(width, height) >= 16;

/**
 * The mean difference allowed, where the corpus's guide has 8 for each cell (16 of CMYK and video),
 * on top of what its reference renders apart from sRGB as it stands: pure blue comes to 5510fd,
 * pure red to f81a10.
 */
const maxApart = ({ colour = "", path }: CorpusFile): number =>
  /CMYK|separated/.test(colour) || path.startsWith("video/") ? 24 : 12;

const pageTrouble = async (base: URL, file: CorpusFile): Promise<string | undefined> => {
  const count = otherwise(file.path)?.pages ?? pagesOf(file);
  if (count === undefined) return undefined;
  for (const page of sampledPages(count)) {
    if (page === 1) continue;
    const about = await ask(base, pathOf(file.path, page, "info.json"));
    const { status, message } =
      about.status === 200
        ? await ask(base, pathOf(file.path, page, smallOf(sizeIn(about))))
        : about;
    if (status !== 200) return `page ${page} of ${count}: ${status} ${message}`;
  }
  const { status } = await ask(base, pathOf(file.path, count + 1, "info.json"));
  return status === 200 ? `a page ${count + 1} of ${count}` : undefined;
};

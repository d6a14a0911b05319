import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { writeAtomically } from "../conversion/atomic-file.ts";
import { escapeHtml } from "../core/html.ts";
import { sizeText } from "./advice.ts";
import type { ObjectFacts } from "./facts.ts";
import { pageScript } from "./html-script.ts";
import { pageStyle } from "./html-style.ts";
import type { Report, ReportedObject } from "./json-report.ts";
import { gainOf, isImage } from "./judging.ts";
import { gravestOf, nameOf } from "./summary.ts";

/** Maximum number of images in the table; images with findings come first. */
const maxRows = 50_000;

/** Maximum bytes of all thumbnails, in base64. */
const maxThumbnails = 8_388_608;

/** Characters written to the file at a time. */
const chunk = 1_048_576;

/**
 * Writes a report atomically as a self-contained page. `objects` is called several times, because
 * the page is streamed.
 */
export const writeHtmlReport = async (
  path: string,
  report: Report,
  objects: () => AsyncIterable<ReportedObject>,
): Promise<void> => {
  await writeAtomically(path, { replace: true }, async ({ file }) => {
    let buffered = "";
    for await (const part of htmlReport(report, objects)) {
      buffered += part;
      if (buffered.length < chunk) continue;
      await write(file, buffered);
      buffered = "";
    }
    await write(file, buffered);
  });
};

const write = async (file: FileHandle, text: string): Promise<void> => {
  await file.appendFile(text);
};

/** A report as a page, in parts. */
export async function* htmlReport(
  report: Report,
  objects: () => AsyncIterable<ReportedObject>,
): AsyncGenerator<string> {
  yield head(report);
  yield `<script type="application/json" id="rows">[`;
  let [rows, thumbnails, separator] = [0, 0, "\n"];
  for (const wantsFindings of [true, false])
    for await (const object of objects()) {
      if (object.findings.length > 0 !== wantsFindings || !isImage(object.facts)) continue;
      if (rows === maxRows) break;
      rows++;
      const { thumbnail = "" } = object.facts;
      const shown = thumbnails + thumbnail.length <= maxThumbnails ? thumbnail : "";
      thumbnails += shown.length;
      yield separator + inScript(rowOf(object, shown));
      separator = ",\n";
    }
  yield `\n]</script>\n<script>${pageScript}</script>\n</body>\n</html>\n`;
}

/** JSON that cannot end the element it is in. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

/** A row as the page's script reads it, with short names to save space. */
const rowOf = ({ facts, findings }: ReportedObject, thumbnail: string) => {
  const { identifier, format = "", bytes, image } = facts;
  const isSlow = findings.some(({ code }) => code === "slow");
  const zoom = isSlow ? image?.zoom : undefined;
  return {
    id: identifier,
    format: nameOf(format),
    bytes,
    ...(image
      ? {
          width: image.size.width,
          height: image.size.height,
          pages: image.pages,
          colour: colourOf(image),
          stored: storedOf(image),
        }
      : {}),
    ...(zoom ? { cost: zoom.tile.now, gain: gainOf(zoom) } : {}),
    grave: gravestOf(findings) ?? "",
    findings: findings.map(({ code, text }) => [code, text]),
    ...(thumbnail === "" ? {} : { thumbnail }),
  };
};

const colourOf = ({ colour }: NonNullable<ObjectFacts["image"]>): string =>
  `${colour.model === "rgb" || colour.model === "cmyk" ? colour.model.toUpperCase() : colour.model}, ${colour.bits} bits${colour.alpha ? ", alpha" : ""}`;

const storedOf = ({ tile, levels, progressive }: NonNullable<ObjectFacts["image"]>): string => {
  const parts = tile ? `${tile.width} × ${tile.height}` : progressive ? "progressive" : "untiled";
  return levels > 1 ? `${parts}, ${levels} levels` : parts;
};

const hashOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const head = (report: Report): string => {
  const { collection, made, quick, summary, advice } = report;
  const policy = `default-src 'none'; img-src data:; style-src ${hashOf(pageStyle)}; script-src ${hashOf(pageScript)}; base-uri 'none'; form-action 'none'`;
  const left = Math.max(0, summary.images - maxRows);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(collection)}: images examined</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>${escapeHtml(collection)}</h1>
<p>Examined by vitrine doctor on <time datetime="${made.toISOString()}">${made.toISOString().slice(0, 16).replace("T", " ")} UTC</time>${quick ? ", headers only; the pixels were not checked for damage" : ""}.</p>
</header>
<main>
<section aria-labelledby="summary">
<h2 id="summary">Summary</h2>
<dl class="figures">
${figures(report)}
</dl>
${adviceList(advice)}
</section>
<section aria-labelledby="formats">
<h2 id="formats">Formats</h2>
<div class="scrolls" role="region" aria-labelledby="formats" tabindex="0">
<table>
<thead><tr><th scope="col">Format</th><th scope="col" class="number">Images</th><th scope="col" class="number">Size</th><th scope="col" class="number">Pixels</th><th scope="col" class="number">Tiled</th><th scope="col" class="number">Slow</th><th scope="col" class="number">Unreadable</th></tr></thead>
<tbody>
${formatRows(report)}
</tbody>
</table>
</div>
</section>
<section aria-labelledby="images">
<h2 id="images">Images</h2>
${left > 0 ? `<p>${left} images without findings are not in this table.</p>` : ""}
<noscript><p>The table needs JavaScript.</p></noscript>
<form id="filters" hidden>
<label>Name contains <input id="name" type="search" autocomplete="off" spellcheck="false"></label>
<label>Format <select id="format"><option value="">all</option></select></label>
<label>Finding <select id="finding"><option value="">all</option><option value="-">none</option></select></label>
</form>
<p id="count" role="status"></p>
<div class="scrolls" id="region" role="region" aria-labelledby="images" tabindex="0" hidden>
<table id="table">
<thead><tr></tr></thead>
<tbody></tbody>
</table>
</div>
<nav id="pager" aria-label="Pages of the table" hidden>
<button type="button" id="previous">Previous</button>
<span id="page"></span>
<button type="button" id="following">Next</button>
</nav>
</section>
</main>
`;
};

const figures = ({ summary }: Report): string => {
  const { findings } = summary;
  const shown: readonly (readonly [string, string, string?])[] = [
    ["Images", String(summary.images)],
    ["Size", sizeText(summary.bytes)],
    ["Unreadable", String(findings.unreadable ?? 0), findings.unreadable ? "error" : ""],
    ["Slow to zoom", String(findings.slow ?? 0)],
    ["Wrong extension", String(findings["wrong-extension"] ?? 0)],
    ["Other files", String(summary.objects - summary.images)],
  ];
  return shown
    .map(
      ([name, value, mark = ""]) =>
        `<div${mark === "" ? "" : ` class="${mark}"`}><dt>${name}</dt><dd>${value}</dd></div>`,
    )
    .join("\n");
};

const adviceList = (advice: Report["advice"]): string =>
  advice.length === 0
    ? "<p>Nothing needs to be done.</p>"
    : `<ul>\n${advice
        .map(
          ({ text, command }) =>
            `<li>${escapeHtml(text)}${command === undefined ? "" : `<br><code>${escapeHtml(command)}</code>`}</li>`,
        )
        .join("\n")}\n</ul>`;

const formatRows = ({ summary }: Report): string =>
  summary.formats
    .map(
      ({ name, images, bytes, pixels, tiled, slow, unreadable }) =>
        `<tr><th scope="row">${escapeHtml(name)}</th>${[
          images,
          sizeText(bytes),
          `${(pixels / 1e6).toFixed(1)} MP`,
          tiled,
          slow,
          unreadable,
        ]
          .map((cell) => `<td class="number">${cell}</td>`)
          .join("")}</tr>`,
    )
    .join("\n");

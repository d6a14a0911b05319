import { escapeHtml } from "../../core/html.ts";

/** An endpoint as shown on the page. */
export interface LandingEndpoint {
  /** From the root of the server: `/iiif/3`. */
  readonly path: string;
  /** Display name: `Image API 3`. */
  readonly label: string;
}

interface Facts {
  readonly version: string;
  readonly endpoints: readonly LandingEndpoint[];
  /** Public path of the server, `/` at the root. */
  readonly prefix: string;
}

/**
 * The page as HTML. Its links are relative, so that it works under any prefix; its script fetches
 * whatever may change while the page is in a browser's cache.
 */
export const landingPage = ({ version, endpoints, prefix }: Facts): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Vitrine</title>${base(prefix)}
<link rel="icon" href="static/icon.svg">
<link rel="stylesheet" href="static/landing.css?${escapeHtml(version)}">
<script src="static/openseadragon.min.js?${escapeHtml(version)}" defer></script>
<script src="static/landing.js?${escapeHtml(version)}" type="module"></script>
</head>
<body>
<header>
  <img src="static/icon.svg" alt="" width="36" height="36">
  <h1>Vitrine <small id="version">${escapeHtml(version)}</small></h1>
  <p>An image server that speaks the IIIF Image API.</p>
  <ul id="endpoints" aria-label="Endpoints">
${endpoints.map(({ path, label }) => `    <li><b>${escapeHtml(label)}</b> <code>${escapeHtml(path)}</code></li>`).join("\n")}
  </ul>
</header>
<main>
  <nav aria-label="Images">
    <form id="open">
      <label for="identifier">Identifier</label>
      <span><input id="identifier" autocomplete="off" spellcheck="false"><button>Show</button></span>
    </form>
    <p id="note" hidden></p>
    <ul id="pictures"></ul>
  </nav>
  <section id="stage" aria-label="The selected image">
    <div id="viewer"></div>
    <p id="message" role="status">The viewer needs JavaScript.</p>
    <div id="controls" role="group" aria-label="Viewer" hidden>
      ${button("in", "Zoom in", "M8 2v12M2 8h12")}
      ${button("out", "Zoom out", "M2 8h12")}
      ${button("home", "Whole image", "M2 8l6-6 6 6M4 7v7h8V7")}
      ${button("full", "Full screen", "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4")}
    </div>
  </section>
  <section id="facts" class="empty" aria-label="About the selected image">
    <div id="about">
      <h2 id="name"></h2>
      <span id="size"></span>
      <span id="information"></span>
      <span id="pages" hidden>
        <button type="button" id="previous" aria-label="Previous page">‹</button>
        <span id="page"></span>
        <button type="button" id="next" aria-label="Next page">›</button>
      </span>
    </div>
    <p class="address"><label for="address">This view</label>
      <input id="address" readonly><button type="button" id="copy">Copy</button> <a id="link">Open</a></p>
  </section>
</main>
</body>
</html>
`;

const button = (act: string, title: string, path: string): string =>
  `<button type="button" data-act="${act}" title="${title}" aria-label="${title}"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg></button>`;

/**
 * Behind a proxy `/prefix` and `/prefix/` may be the same page, and relative links fit only one of
 * them.
 */
const base = (prefix: string): string =>
  prefix === "/" ? "" : `\n<base href="${escapeHtml(prefix.replace(/\/?$/, "/"))}">`;

import { escapeHtml } from "../../core/html.ts";
import { modules, styles } from "./assets.ts";

/** An endpoint as shown on the page. */
export interface LandingEndpoint {
  /** From the root of the server: `/iiif/3`. */
  readonly path: string;
  /** Display name: `Image API 3`. */
  readonly label: string;
}

interface Facts {
  readonly version: string;
  /** The folder of the page's files in `static/`. */
  readonly assets: string;
  readonly endpoints: readonly LandingEndpoint[];
  /** Public path of the server, `/` at the root. */
  readonly prefix: string;
}

/**
 * The page as HTML. Its links are relative, so that it works under any prefix; its script fetches
 * whatever may change while the page is in a browser's cache.
 */
export const landingPage = ({ version, assets, endpoints, prefix }: Facts): string => {
  const files = `static/${assets}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Vitrine</title>${base(prefix)}
<link rel="icon" href="${files}/icon.svg">
${styles.map((name) => `<link rel="stylesheet" href="${files}/${name}">`).join("\n")}
${modules.map((name) => `<link rel="modulepreload" href="${files}/${name}">`).join("\n")}
<script src="${files}/landing.js" type="module"></script>
</head>
<body data-viewer="${files}/openseadragon.min.js">
<a id="skip" href="#content">Skip to content</a>
<header>
  <a id="home"><img src="${files}/icon.svg" alt="" width="32" height="32"><span>Vitrine</span></a>
  <form id="search" role="search">
    <label for="words">Search</label>
    <input id="words" type="search" placeholder="Search names" maxlength="1000" autocomplete="off" spellcheck="false" enterkeyhint="search">
    <button id="find">Search</button>
  </form>
</header>
<main id="content" tabindex="-1">
  <noscript><p class="note">This page needs JavaScript; the endpoints below do not.</p></noscript>
  <section id="gallery" aria-labelledby="heading" hidden>
    <div id="top">
      <nav id="crumbs" aria-label="Folders"></nav>
      <h1 id="heading" tabindex="-1"></h1>
      <p id="actions"></p>
    </div>
    <p id="note" class="note" hidden></p>
    <ul id="pictures"></ul>
    <p id="progress" role="status"></p>
    <button type="button" id="more" hidden>Show more</button>
  </section>
  <section id="picture" aria-labelledby="name" hidden>
    <div id="stage" role="group" aria-label="Viewer">
      <div id="viewer"></div>
      <p id="message" role="status"></p>
      <div id="controls" role="group" aria-label="Zoom" hidden>
        ${button("in", "Zoom in", "M8 2v12M2 8h12")}
        ${button("out", "Zoom out", "M2 8h12")}
        ${button("home", "Whole image", "M2 8l6-6 6 6M4 7v7h8V7")}
        ${button("full", "Full screen", "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4")}
      </div>
    </div>
    <div id="pages" role="group" aria-label="Pages" hidden>
      <form id="turn">
        <button type="button" id="previous" aria-label="Previous page">${icon("M10 3L5 8l5 5")}</button>
        <label for="number" id="unit">Page</label>
        <input id="number" inputmode="numeric" autocomplete="off" maxlength="9"> <span id="count"></span>
        <button type="button" id="next" aria-label="Next page">${icon("M6 3l5 5-5 5")}</button>
      </form>
      <ul id="strip" aria-label="All pages"></ul>
    </div>
    <div id="facts">
      <nav id="place" aria-label="Folder of the image"></nav>
      <h1 id="name" tabindex="-1"></h1>
      <p id="size"></p>
      <div id="about" hidden>
        <p id="uses"></p>
        <div id="elsewhere" hidden><h2>Open in</h2><p id="viewers"></p></div>
        <h2><label for="address">Address of this view</label></h2>
        <p class="address"><input id="address" readonly dir="ltr"><button type="button" id="copy">Copy</button><a id="link" class="button">Open</a></p>
        <h2>Image information</h2>
        <p id="information"></p>
      </div>
    </div>
  </section>
</main>
<footer>
  <p>Vitrine <span id="version">${escapeHtml(version)}</span> is an image server for the IIIF Image API.</p>
  <ul id="endpoints" aria-label="Endpoints">
${endpoints.map(({ path, label }) => `    <li>${escapeHtml(label)} <code>${escapeHtml(path)}</code></li>`).join("\n")}
  </ul>
</footer>
</body>
</html>
`;
};

const icon = (path: string): string =>
  `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`;

const button = (act: string, title: string, path: string): string =>
  `<button type="button" data-act="${act}" title="${title}" aria-label="${title}">${icon(path)}</button>`;

/**
 * Behind a proxy `/prefix` and `/prefix/` may be the same page, and relative links fit only one of
 * them.
 */
const base = (prefix: string): string =>
  prefix === "/" ? "" : `\n<base href="${escapeHtml(prefix.replace(/\/?$/, "/"))}">`;

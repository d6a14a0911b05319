import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The script sets the chosen theme: nothing is painted before in the wrong one. */
const paintWhenReady = (): Plugin => ({
  name: "paint-when-ready",
  transformIndexHtml: {
    order: "post",
    handler: (html) =>
      html.replace('<script type="module"', '<script type="module" blocking="render"'),
  },
});

/** Builds the control panel; nothing is inline, as the page's security policy requires. */
export default defineConfig({
  root: at("."),
  // Wherever the page's <base> points to.
  base: "./",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [paintWhenReady()],
  build: {
    outDir: at("../../dist/web/panel"),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: "licences.md" },
    reportCompressedSize: false,
    // On a busy machine the build would warn of its own slowness.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});

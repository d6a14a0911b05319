import type { TileSourceOptions } from "openseadragon";

/** A viewer that shows an image. */
export interface OpenViewer {
  zoomIn(): void;
  zoomOut(): void;
  home(): void;
  close(): void;
}

interface Wanted {
  readonly element: HTMLElement;
  /** URI of the image, without `/info.json`. */
  readonly url: string;
  readonly signal: AbortSignal;
}

/** Drawing with WebGL in software takes a second per frame: without a GPU, a canvas is faster. */
const drawer = (): "auto" | "canvas" =>
  document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true })
    ? "auto"
    : "canvas";

/** Loads OpenSeadragon and info.json, and opens the image. */
export const openViewer = async ({ element, url, signal }: Wanted): Promise<OpenViewer> => {
  preventStyleElement();
  const [{ default: OpenSeadragon }, info] = await Promise.all([
    import("openseadragon"),
    informationOf(url, signal),
  ]);
  signal.throwIfAborted();
  // Tiles come from the page's own origin, whatever the server's public address is.
  const source: object = { ...info, ...("@id" in info ? { "@id": url } : { id: url }) };
  const viewer = OpenSeadragon({
    element,
    tileSources: source as TileSourceOptions,
    showNavigationControl: false,
    showNavigator: false,
    maxZoomPixelRatio: 4,
    drawer: drawer(),
    // Its default of one makes slow frames delay the requests for tiles.
    maxTilesPerFrame: 6,
    animationTime: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 0.6,
    // The page itself scrolls until the user interacts with the image.
    gestureSettingsMouse: { scrollToZoom: true, clickToZoom: false, dblClickToZoom: true },
  });
  return new Promise((resolve, reject) => {
    const give = (): void => {
      viewer.destroy();
      reject(signal.reason);
    };
    signal.addEventListener("abort", give, { once: true });
    viewer.addHandler("open", () => {
      signal.removeEventListener("abort", give);
      resolve({
        zoomIn: () => viewer.viewport.zoomBy(2),
        zoomOut: () => viewer.viewport.zoomBy(0.5),
        home: () => viewer.viewport.goHome(),
        close: () => viewer.destroy(),
      });
    });
    viewer.addHandler("open-failed", () => {
      signal.removeEventListener("abort", give);
      viewer.destroy();
      reject(new Error("The viewer cannot read its info.json."));
    });
  });
};

const informationOf = async (
  url: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> => {
  const answer = await fetch(`${url}/info.json`, {
    headers: { accept: "application/json" },
    signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
  });
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok && typeof body === "object" && body !== null) return { ...body };
  const told = (body as { readonly message?: unknown } | undefined)?.message;
  throw new Error(typeof told === "string" ? told : `The server answered ${answer.status}.`);
};

/**
 * OpenSeadragon adds a style element of its own unless it finds one, which the page's security
 * policy forbids; the style sheet has the rule instead, and this element replaces it.
 */
const preventStyleElement = (): void => {
  if (document.querySelector("[data-openseadragon-mobile-css]")) return;
  const standIn = document.createElementNS("urn:vitrine", "style");
  standIn.setAttribute("data-openseadragon-mobile-css", "true");
  document.head.append(standIn);
};

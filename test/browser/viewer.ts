import type { Page } from "playwright-core";
import { round } from "../../src/core/geometry.ts";

/** A view of the image: its top left pixel, and screen pixels per pixel of the image. */
export interface Wanted {
  readonly left: number;
  readonly top: number;
  readonly scale: number;
}

export interface Seen {
  /** A PNG of the viewer. */
  readonly shot: Buffer;
  /** The part of the image that the viewer claims to show, in whole pixels. */
  readonly region: {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  };
}

/** The used part of the page's API; functions passed to `evaluate` run there. */
interface Element {
  readonly style: { visibility: string };
}

interface Viewer {
  isOpen(): boolean;
  readonly element: { readonly clientWidth: number; readonly clientHeight: number };
  readonly viewport: {
    fitBounds(bounds: unknown, immediately: boolean): void;
    getBounds(current: boolean): unknown;
  };
  readonly world: { getItemAt(index: number): Item };
}

interface Item {
  getFullyLoaded(): boolean;
  imageToViewportRectangle(x: number, y: number, width: number, height: number): unknown;
  viewportToImageRectangle(
    bounds: unknown,
    current: boolean,
  ): { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

declare const document: {
  getElementById(id: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
};

declare const OpenSeadragon: { getViewer(element: Element | null): Viewer };

/** Moves the landing page's viewer, waits for the tiles, and takes a screenshot. */
export const lookAt = async (page: Page, wanted: Wanted): Promise<Seen> => {
  await page.locator("#controls").waitFor();
  await page.waitForFunction(() => {
    const viewer = OpenSeadragon.getViewer(document.getElementById("viewer"));
    return viewer.isOpen() && viewer.world.getItemAt(0) !== undefined;
  });
  await page.evaluate(({ left, top, scale }) => {
    const viewer = OpenSeadragon.getViewer(document.getElementById("viewer"));
    const { clientWidth, clientHeight } = viewer.element;
    const bounds = viewer.world
      .getItemAt(0)
      .imageToViewportRectangle(left, top, clientWidth / scale, clientHeight / scale);
    viewer.viewport.fitBounds(bounds, true);
    // What covers the image is not the image.
    for (const over of document.querySelectorAll("#controls, .navigator"))
      over.style.visibility = "hidden";
  }, wanted);
  await page.waitForFunction(() => {
    const viewer = OpenSeadragon.getViewer(document.getElementById("viewer"));
    return viewer.isOpen() && viewer.world.getItemAt(0).getFullyLoaded();
  });
  // Loaded tiles are faded in over half a second.
  await page.waitForTimeout(800);
  const region = await page.evaluate(() => {
    const viewer = OpenSeadragon.getViewer(document.getElementById("viewer"));
    const { x, y, width, height } = viewer.world
      .getItemAt(0)
      .viewportToImageRectangle(viewer.viewport.getBounds(true), true);
    return { x, y, width, height };
  });
  const shot = await page.locator("#viewer").screenshot();
  await page.evaluate(() => {
    for (const over of document.querySelectorAll("#controls, .navigator"))
      over.style.visibility = "";
  });
  return {
    shot,
    region: {
      left: round(region.x),
      top: round(region.y),
      width: round(region.width),
      height: round(region.height),
    },
  };
};

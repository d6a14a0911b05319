import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../../test/random.ts";
import { random } from "../../test/random.ts";
import { Connection } from "../connection.ts";
import { type BenchImage, imageOf } from "../image.ts";
import { tilePath, tilesOver } from "../tiles.ts";

/** The screen of a viewer in pixels. */
const screen = { width: 1_400, height: 900 };

/** Connections of a browser to one server. */
const perViewer = 6;

/** Views of an image: the whole, zooming in, panning, and zooming in elsewhere. */
const viewsPerImage = 12;

export interface SessionOptions {
  readonly base: URL;
  readonly names: readonly string[];
  readonly viewers: number;
  /** Milliseconds for which a view is shown before the next one: on average, and half to 1.5 times. */
  readonly thinkMs: number;
}

/** The requests for tiles of a session. */
export interface Session {
  /** Milliseconds of each answered request, by the number of the view in its image. */
  readonly views: readonly (readonly number[])[];
  readonly statuses: Readonly<Record<string, number>>;
}

/**
 * Opens each image once, in one of several concurrent viewers, which begin one after the other within
 * the time that one takes for an image: people do not open images in step. A viewer requests the
 * tiles of a view over six connections, as a browser does, and continues when all have arrived and
 * were shown.
 */
export const readImages = async (options: SessionOptions): Promise<Session> => {
  const { base, names, viewers, thinkMs } = options;
  const views: number[][] = Array.from({ length: viewsPerImage }, () => []);
  const statuses: Record<string, number> = {};
  const waiting = [...names.entries()];
  const viewer = async (place: number): Promise<void> => {
    await pause((place / viewers) * viewsPerImage * thinkMs);
    const connections = Array.from(
      { length: perViewer },
      () => new Connection({ base, timeout: 300_000, headers: {} }),
    );
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [number, name] = next;
      const image = await imageOf(base, name);
      const seen = new Set<string>();
      const dice = random(number + 1);
      for (const [view, paths] of viewsOf(image, dice).entries()) {
        const left = paths.filter((path) => !seen.has(path));
        await Promise.all(
          connections.map(async (connection) => {
            for (let path = left.shift(); path !== undefined; path = left.shift()) {
              seen.add(path);
              const { status, milliseconds } = await connection.ask(path);
              statuses[status] = (statuses[status] ?? 0) + 1;
              if (milliseconds !== undefined) views[view]?.push(milliseconds);
            }
          }),
        );
        await pause(dice.whole(Math.round(thinkMs / 2), Math.round(thinkMs * 1.5)));
      }
    }
    for (const connection of connections) connection.close();
  };
  await Promise.all(Array.from({ length: viewers }, (_, place) => viewer(place)));
  return { views, statuses };
};

/** The tiles of each view, in order. */
const viewsOf = (image: BenchImage, dice: Random): readonly string[][] => {
  const whole = Math.max(image.width / screen.width, image.height / screen.height);
  let centre = { x: image.width / 2, y: image.height / 2 };
  return Array.from({ length: viewsPerImage }, (_, number) => {
    // Closer by a factor of two with each of the first views, then at full size and at half.
    const scale = number < 5 ? Math.max(1, whole / 2 ** number) : (number % 2) + 1;
    const size = { width: screen.width * scale, height: screen.height * scale };
    if (number > 0) centre = near(centre, number < 5 ? size : image, { image, dice });
    const view = { x: centre.x - size.width / 2, y: centre.y - size.height / 2, ...size };
    const factor = image.scaleFactors.findLast((one) => one <= scale) ?? 1;
    return tilesOver(image, factor, view).map((tile) => tilePath(image, tile));
  });
};

const near = (
  { x, y }: { readonly x: number; readonly y: number },
  { width, height }: { readonly width: number; readonly height: number },
  { image, dice }: { readonly image: BenchImage; readonly dice: Random },
): { x: number; y: number } => {
  const moved = (at: number, by: number, end: number): number =>
    Math.min(end, Math.max(0, at + dice.whole(-Math.round(by / 2), Math.round(by / 2))));
  return { x: moved(x, width, image.width), y: moved(y, height, image.height) };
};

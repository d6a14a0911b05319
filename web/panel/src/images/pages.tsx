import { count } from "../format/numbers.ts";
import type { ImageLookup } from "../server/wire.ts";

type Info = ImageLookup["info"];
type Page = Info["pages"][number];

/** Maximum number of listed pages; a file may have thousands. */
const max = 200;

/** The pages of a file, their stored levels, tiles and colours. */
export const Pages = ({ info }: { readonly info: Info }) => (
  <section class="card" aria-labelledby="pages">
    <h2 id="pages">Pages and levels</h2>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
    <section class="scroll" tabIndex={0} aria-label="Pages">
      <table class="pages">
        <thead>
          <tr>
            <th scope="col" class="number">
              Page
            </th>
            <th scope="col">Level</th>
            <th scope="col" class="number">
              Size
            </th>
            <th scope="col" class="number">
              Tile
            </th>
            <th scope="col">Colour</th>
            <th scope="col">Orientation</th>
          </tr>
        </thead>
        <tbody>
          {info.pages.slice(0, max).map((page, at) => (
            <PageRows key={String(at)} page={page} number={at + 1} />
          ))}
        </tbody>
      </table>
    </section>
    {info.pages.length > max && (
      <p class="soft">{count(info.pages.length - max)} more pages are not listed.</p>
    )}
  </section>
);

const PageRows = ({ page, number }: { readonly page: Page; readonly number: number }) => (
  <>
    {page.levels.map(({ size, tile }, level) => (
      <tr key={String(level)} class={level === 0 ? "first" : ""}>
        {level === 0 ? (
          <th scope="row" class="number">
            {number}
          </th>
        ) : (
          <td />
        )}
        <td>{level === 0 ? "full" : `1/${Math.round(page.size.width / size.width)}`}</td>
        <td class="number">{sizeText(size)}</td>
        <td class="number">
          {tile.width === size.width && tile.height === size.height ? "not tiled" : sizeText(tile)}
        </td>
        <td>{level === 0 ? colourText(page) : ""}</td>
        <td>{level === 0 ? orientations[page.orientation] : ""}</td>
      </tr>
    ))}
  </>
);

const sizeText = ({ width, height }: { readonly width: number; readonly height: number }): string =>
  `${count(width)} × ${count(height)}`;

const colourText = ({ colour, progressive }: Page): string =>
  [
    `${colour.model}, ${colour.bits} bit`,
    colour.alpha ? "alpha" : "",
    colour.profile === "none" ? "" : `profile ${colour.profile}`,
    progressive ? "progressive" : "",
  ]
    .filter((part) => part !== "")
    .join(", ");

/** Exif orientations, 1 to 8, described by the operation that shows the image upright. */
const orientations: Readonly<Record<Page["orientation"], string>> = {
  1: "upright",
  2: "mirrored",
  3: "turned by 180°",
  4: "mirrored, rotated by 180°",
  5: "mirrored, rotated by 270°",
  6: "turned by 90°",
  7: "mirrored, rotated by 90°",
  8: "turned by 270°",
};

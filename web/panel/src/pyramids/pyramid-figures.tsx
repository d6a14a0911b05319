import { bytes, count, percent } from "../format/numbers.ts";
import { hitRate } from "../overview/series.ts";
import type { CacheStatus } from "../server/wire.ts";
import { Meter } from "../ui/meter.tsx";

/** The numbers of pyramids, and how often requests used one. */
export const PyramidFigures = ({ layer }: { readonly layer: CacheStatus }) => {
  const { entries, bytes: held, maxBytes = 0, hits, misses } = layer;
  const rate = hitRate(layer);
  return (
    <section class="card" aria-labelledby="pyramid-figures">
      <h2 id="pyramid-figures">Overview</h2>
      <dl class="pyramid-figures">
        <Figure name="Made">{entries === undefined ? "–" : count(entries)}</Figure>
        <Figure name="Being made">{count(layer.making ?? 0)}</Figure>
        <Figure name="Waiting">{count(layer.waiting ?? 0)}</Figure>
        <Figure name="Refused">{layer.refused === undefined ? "–" : count(layer.refused)}</Figure>
        <Figure name="Requests that used one">
          {rate === null ? "–" : percent(rate)}{" "}
          <small>
            {count(hits)} of {count(hits + misses)}
          </small>
        </Figure>
        <Figure name="Stored">
          {held === undefined ? "–" : bytes(held)} <small>of {bytes(maxBytes)}</small>
          {held !== undefined && maxBytes > 0 && (
            <Meter part={held / maxBytes} label={`${bytes(held)} of ${bytes(maxBytes)}`} />
          )}
        </Figure>
      </dl>
    </section>
  );
};

interface FigureProps {
  readonly name: string;
  readonly children: preact.ComponentChildren;
}

const Figure = ({ name, children }: FigureProps) => (
  <div>
    <dt class="soft">{name}</dt>
    <dd class="figure">{children}</dd>
  </div>
);

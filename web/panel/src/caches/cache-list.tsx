import { bytes, count, percent } from "../format/numbers.ts";
import { hitRate, layerNames } from "../overview/series.ts";
import type { CacheLayer, CacheStatus } from "../server/wire.ts";
import { Meter } from "../ui/meter.tsx";
import { Empty } from "../ui/states.tsx";

const helps: Readonly<Record<CacheLayer, string>> = {
  memory: "Derivatives in the memory of the workers.",
  store: "Derivatives and image infos outside the workers.",
  infos: "Size, pages, levels and colours of images.",
  structure: "Positions of tiles in image files.",
  tiles: "Decoded tiles of files, to be cropped and scaled again.",
  pyramids: "Tiled pyramids made of images that are slow to zoom.",
};

/** Each cache layer: how full it is, and its hit rate. */
export const CacheList = ({ caches }: { readonly caches: readonly CacheStatus[] }) =>
  caches.length === 0 ? (
    <Empty>Nothing is cached: all caches are disabled.</Empty>
  ) : (
    <div class="cache-cards">
      {caches.map((cache) => (
        <Cache key={`${cache.layer} ${cache.kind ?? ""}`} cache={cache} />
      ))}
    </div>
  );

const Cache = ({ cache }: { readonly cache: CacheStatus }) => {
  const { layer, kind, hits, misses, failures = 0, spared = 0, backlog } = cache;
  const rate = hitRate(cache);
  return (
    <section class="card cache" aria-label={layerNames[layer]}>
      <header>
        <h3>{layerNames[layer]}</h3>
        {kind !== undefined && <span class="code soft">{kind}</span>}
      </header>
      <p class="soft">{helps[layer]}</p>
      <p class="figure">
        {rate === null ? "–" : percent(rate)} <small>hits</small>
      </p>
      <dl class="facts">
        <div>
          <dt>Hits</dt>
          <dd>
            {count(hits)} of {count(hits + misses)}
          </dd>
        </div>
        <Amount name="Entries" held={cache.entries} max={cache.maxEntries} format={count} />
        <Amount name="Bytes" held={cache.bytes} max={cache.maxBytes} format={bytes} />
        {failures + spared > 0 && (
          <div>
            <dt>Failures</dt>
            <dd class="bad">
              {count(failures)} failed, {count(spared)} not tried
            </dd>
          </div>
        )}
        {layer === "pyramids" && (
          <div>
            <dt>Others</dt>
            <dd>
              {count(cache.waiting ?? 0)} waiting, {count(cache.making ?? 0)} being made,{" "}
              {count(cache.refused ?? 0)} refused
            </dd>
          </div>
        )}
        {backlog !== undefined && (backlog.entries > 0 || backlog.dropped > 0) && (
          <div>
            <dt>Queued writes</dt>
            <dd>
              {count(backlog.entries)} entries, {bytes(backlog.bytes)}; {count(backlog.dropped)}{" "}
              dropped
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
};

interface AmountProps {
  readonly name: string;
  readonly held: number | undefined;
  readonly max: number | undefined;
  readonly format: (value: number) => string;
}

/** The content and the limit; omitted where neither is known. */
const Amount = ({ name, held, max, format }: AmountProps) =>
  held === undefined ? null : (
    <div>
      <dt>{name}</dt>
      <dd>
        {max === undefined || max === 0 ? (
          `${format(held)}, no limit`
        ) : (
          <>
            {format(held)} of {format(max)}
            <Meter part={held / max} label={`${name}: ${format(held)} of ${format(max)}`} />
          </>
        )}
      </dd>
    </div>
  );

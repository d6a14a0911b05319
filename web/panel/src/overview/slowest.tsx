import { milliseconds, plural } from "../format/numbers.ts";
import { hashOf } from "../routes.ts";
import type { Figures } from "../server/wire.ts";
import { Empty } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";

/** Images whose files were recently slow. */
export const Slowest = ({ slowest }: { readonly slowest: Figures["slowest"] }) => (
  <section class="card" aria-labelledby="slowest">
    <h2 id="slowest">Recently slow sources</h2>
    {slowest.length === 0 ? (
      <Empty>No file was slow to find or read.</Empty>
    ) : (
      <ol class="slowest">
        {slowest.map(({ identifier, ms, count, at }) => (
          <li key={identifier}>
            <a href={hashOf("images", identifier)}>{identifier}</a>
            <span class="number">{milliseconds(ms)}</span>
            <small>
              {plural(count, "time")}, last <Time at={at} />
            </small>
          </li>
        ))}
      </ol>
    )}
  </section>
);

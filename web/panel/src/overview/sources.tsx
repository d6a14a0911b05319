import { bytes, count, milliseconds } from "../format/numbers.ts";
import type { OriginStatus, SourceStatus } from "../server/wire.ts";
import { Empty } from "../ui/states.tsx";

/** Where images come from, and how the servers do that they are requested from. */
export const Sources = ({ sources }: { readonly sources: readonly SourceStatus[] }) => {
  const remote = sources.filter(({ origins }) => origins.length > 0);
  const others = sources.filter(({ origins }) => origins.length === 0);
  return (
    <section class="card" aria-labelledby="sources">
      <h2 id="sources">Sources</h2>
      {remote.length > 0 && <Origins sources={remote} />}
      {others.length > 0 && (
        <dl class="facts">
          {others.map(({ kind, worked }) => (
            <div key={kind}>
              <dt class="code">{kind}</dt>
              <dd>{untold(kind, worked.length > 0)}</dd>
            </div>
          ))}
        </dl>
      )}
      {sources.length === 0 && <Empty>No worker has told its sources.</Empty>}
    </section>
  );
};

/** What is told of a source that sent no request. */
const untold = (kind: string, isUsed: boolean): string => {
  if (kind !== "FilesystemSource") return "No request has been sent since the start.";
  return isUsed ? "Read from the file system, without requests." : "Nothing has been read yet.";
};

const Origins = ({ sources }: { readonly sources: readonly SourceStatus[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
  <section class="scroll" tabIndex={0} aria-label="Servers of sources">
    <table>
      <thead>
        <tr>
          <th scope="col">Server</th>
          <th scope="col">State</th>
          <th scope="col" class="number">
            Requests
          </th>
          <th scope="col" class="number">
            Failed
          </th>
          <th scope="col" class="number">
            Received
          </th>
          <th scope="col" class="number">
            Latency
          </th>
          <th scope="col" class="number">
            Running
          </th>
          <th scope="col" class="number">
            Waiting
          </th>
        </tr>
      </thead>
      <tbody>
        {sources.flatMap(({ kind, origins }) =>
          origins.map((origin) => (
            <Origin key={`${kind} ${origin.origin}`} kind={kind} origin={origin} />
          )),
        )}
      </tbody>
    </table>
  </section>
);

const Origin = ({ kind, origin }: { readonly kind: string; readonly origin: OriginStatus }) => (
  <tr>
    <th scope="row">
      <span class="break">{origin.origin}</span> <small class="code soft">{kind}</small>
    </th>
    <td>
      <span class={`pill ${colors[origin.breaker]}`}>{states[origin.breaker]}</span>
    </td>
    <td class="number">{count(origin.requests)}</td>
    <td class={origin.failures > 0 ? "number bad" : "number"}>{count(origin.failures)}</td>
    <td class="number">{bytes(origin.bytes)}</td>
    <td class="number">{milliseconds(origin.averageMs)}</td>
    <td class="number">{origin.running}</td>
    <td class="number">{origin.waiting}</td>
  </tr>
);

const states: Readonly<Record<OriginStatus["breaker"], string>> = {
  closed: "In use",
  trying: "Tried again",
  open: "Left alone",
};

const colors: typeof states = { closed: "green", trying: "yellow", open: "red" };

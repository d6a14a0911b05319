import { bytes, count, milliseconds } from "../format/numbers.ts";
import type { OriginStatus, SourceStatus } from "../server/wire.ts";
import { Empty } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";

/** The sources of images, and the state of the servers that they request. */
export const Sources = ({ sources }: { readonly sources: readonly SourceStatus[] }) => {
  const remote = sources.filter(({ origins }) => origins.length > 0);
  const others = sources.filter(({ origins }) => origins.length === 0);
  return (
    <section class="card" aria-labelledby="sources">
      <h2 id="sources">Sources</h2>
      {remote.length > 0 && <Origins sources={remote} />}
      {others.length > 0 && (
        <dl class="facts">
          {others.map(({ kind, served }) => (
            <div key={kind}>
              <dt class="code">{kind}</dt>
              <dd>{idle(kind, served.length > 0)}</dd>
            </div>
          ))}
        </dl>
      )}
      {sources.length === 0 && <Empty>No worker has reported its sources yet.</Empty>}
    </section>
  );
};

/** Describes a source that sent no request. */
const idle = (kind: string, isUsed: boolean): string => {
  if (kind !== "FilesystemSource") return "No request has been sent since the start.";
  return isUsed ? "Read from the file system, without requests." : "Nothing has been read yet.";
};

const headings = [
  "Server",
  "State",
  "Requests",
  "Failed",
  "Received",
  "Latency",
  "Running",
  "Waiting",
];

const Origins = ({ sources }: { readonly sources: readonly SourceStatus[] }) => (
  <Table label="Servers of sources" headings={headings} textColumns={2}>
    {sources.flatMap(({ kind, origins }) =>
      origins.map((origin) => (
        <Origin key={`${kind} ${origin.origin}`} kind={kind} origin={origin} />
      )),
    )}
  </Table>
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
  trying: "Retrying",
  open: "Backing off",
};

const colors: typeof states = { closed: "green", trying: "yellow", open: "red" };

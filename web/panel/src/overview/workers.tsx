import { bytes, count, duration } from "../format/numbers.ts";
import type { Status } from "../server/wire.ts";
import { Table } from "../ui/table.tsx";

const headings = ["Worker", "Process", "Up", "Memory", "Running", "Waiting"];

/** The serving processes, and their lanes. */
export const Workers = ({ status }: { readonly status: Status }) => (
  <section class="card" aria-labelledby="workers">
    <h2 id="workers">Workers and lanes</h2>
    <Table label="Workers" headings={headings} textColumns={1}>
      {status.workers.map(({ worker, pid, uptimeMs, memory, lanes }) => (
        <tr key={worker}>
          <th scope="row">{worker}</th>
          <td class="number">{pid}</td>
          <td class="number">{duration(uptimeMs)}</td>
          <td class="number">{bytes(memory.resident)}</td>
          <td class="number">{lanes.small.running + lanes.large.running}</td>
          <td class="number">{lanes.small.waiting + lanes.large.waiting}</td>
        </tr>
      ))}
    </Table>
    <Lanes status={status} />
  </section>
);

const Lanes = ({ status: { lanes } }: { readonly status: Status }) => {
  const { counts } = lanes;
  return (
    <dl class="facts">
      {(["small", "large"] as const).map((name) => (
        <div key={name}>
          <dt>{name === "small" ? "Small work" : "Large work"}</dt>
          <dd>
            {lanes[name].running} of {lanes[name].maxRunning} running, {lanes[name].waiting} of{" "}
            {count(lanes[name].maxWaiting)} waiting, {bytes(lanes[name].bytes)} of{" "}
            {bytes(lanes[name].maxBytes)}
          </dd>
        </div>
      ))}
      <div>
        <dt>Rendered since the start</dt>
        <dd>
          {count(counts.done)}, of {count(counts.begun)} begun
        </dd>
      </div>
      <div>
        <dt>Refused since the start</dt>
        <dd>
          {count(counts.refusedFull)} queue full, {count(counts.refusedSlow)} too slow,{" "}
          {count(counts.refusedHuge)} too large
        </dd>
      </div>
    </dl>
  );
};

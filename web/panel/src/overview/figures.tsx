import { useSignal } from "@preact/signals";
import { bytes, milliseconds, percent, perSecond, short, thin } from "../format/numbers.ts";
import { useLive } from "../server/live.ts";
import type { CacheLayer, Figures, Interval, RequestKind } from "../server/wire.ts";
import { Choice } from "../ui/choice.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Chart } from "./chart.tsx";
import {
  cachesChart,
  hitRate,
  lanesChart,
  latencyChart,
  latestOf,
  layerNames,
  loopChart,
  memoryChart,
  processorsChart,
  requestsChart,
} from "./series.ts";
import { Slowest } from "./slowest.tsx";

const kinds: readonly { readonly value: RequestKind | "all"; readonly label: string }[] = [
  { value: "all", label: "All requests" },
  { value: "image", label: "Images" },
  { value: "info", label: "info.json" },
  { value: "other", label: "Other" },
];

const spans = [
  { value: "recent", label: "1 min" },
  { value: "intervals", label: "10 min" },
] as const;

/** The live charts. */
export const FiguresView = () => {
  const figures = useLive<Figures>("figures", 2);
  const span = useSignal<"recent" | "intervals">("intervals");
  const kind = useSignal<RequestKind | "all">("all");
  return (
    <section aria-label="Figures">
      <div class="row">
        <Choice
          legend="Kind of request"
          options={kinds}
          value={kind.value}
          onChange={(value) => {
            kind.value = value;
          }}
        />
        <Choice
          legend="Time"
          options={spans}
          value={span.value}
          onChange={(value) => {
            span.value = value;
          }}
        />
      </div>
      <Loaded live={figures}>
        {(value) => (
          <div class="charts">
            {value[span.value].length === 0 ? (
              <Empty>The first figures appear in a few seconds.</Empty>
            ) : (
              <Charts intervals={value[span.value]} kind={kind.value} />
            )}
            <Slowest slowest={value.slowest} />
          </div>
        )}
      </Loaded>
    </section>
  );
};

/** The layers, most effective first. */
const layers = Object.keys(layerNames) as CacheLayer[];

interface Props {
  readonly intervals: readonly Interval[];
  readonly kind: RequestKind | "all";
}

const Charts = ({ intervals, kind }: Props) => {
  const last = intervals.at(-1);
  const latency = latencyChart(intervals, kind);
  const median = latestOf(latency.lines[0]?.values ?? []);
  const tail = latestOf(latency.lines[2]?.values ?? []);
  const layer = layers.find((name) => last?.caches[name] !== undefined);
  const rate = latestOf(intervals.map(({ caches }) => (layer ? hitRate(caches[layer]) : null)));
  const requests = requestsChart(intervals, kind);
  const now = requests.lines.reduce((sum, { values }) => sum + (values.at(-1) ?? 0), 0);
  return (
    <>
      <Chart
        title="Requests"
        figure={perSecond(now)}
        data={requests}
        format={perSecond}
        min={1}
        stack
      />
      <Chart
        title="Latency"
        figure={median === null ? "–" : milliseconds(median)}
        {...(tail === null ? {} : { note: `median; ${milliseconds(tail)} at 99${thin}%` })}
        data={latency}
        format={milliseconds}
        min={5}
      />
      <Chart
        title="Lanes"
        figure={last ? short(last.lanes.small.running + last.lanes.large.running) : "–"}
        note={`running; ${last ? short(last.lanes.small.waiting + last.lanes.large.waiting) : "–"} waiting`}
        data={lanesChart(intervals)}
        format={short}
        min={4}
      />
      <Chart
        title="Cache hit rate"
        figure={rate === null ? "–" : percent(rate)}
        {...(layer === undefined ? {} : { note: layerNames[layer].toLowerCase() })}
        data={cachesChart(intervals)}
        format={percent}
        min={1}
        max={1}
      />
      <Chart
        title="Memory"
        figure={last ? bytes(last.memory.resident) : "–"}
        note="of all workers"
        data={memoryChart(intervals)}
        format={bytes}
        min={64 * 1024 ** 2}
        binary
      />
      <Chart
        title="Processors"
        figure={last ? short(last.processors) : "–"}
        note="busy"
        data={processorsChart(intervals)}
        format={short}
        min={1}
      />
      <Chart
        title="Event loop delay"
        figure={last ? milliseconds(last.eventLoop.p99) : "–"}
        note={`at 99${thin}%, of the worst worker`}
        data={loopChart(intervals)}
        format={milliseconds}
        min={5}
      />
    </>
  );
};

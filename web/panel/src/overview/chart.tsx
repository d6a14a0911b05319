import "uplot/dist/uPlot.min.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import { clock } from "../format/times.ts";
import { usePanel } from "../panel.ts";
import { ChartTable } from "./chart-table.tsx";
import { type ChartData, type Line, latestOf, maxOf, stacked } from "./series.ts";

interface Props {
  readonly title: string;
  /** The main figure, with its unit. */
  readonly figure: string;
  /** Secondary figures, smaller. */
  readonly note?: string;
  readonly data: ChartData;
  /** A value with its unit. */
  readonly format: (value: number) => string;
  /** Minimum range of the axis. */
  readonly min: number;
  /** Maximum range of the axis. */
  readonly max?: number;
  /** Lines are stacked and filled. */
  readonly stack?: boolean;
  /** The axis counts in powers of two. */
  readonly binary?: boolean;
}

/** In pixels. */
const height = 150;

/** Half the width of a time label in pixels: the last one may be at the very end. */
const halfLabel = 28;

/** A chart of figures over time, with a table of them on demand. */
export const Chart = (props: Props) => {
  const { title, figure, note, data, format, stack } = props;
  const { theme } = usePanel();
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  /** The column under the pointer. */
  const pointed = useSignal<number | null>(null);
  const table = useSignal(false);
  const names = data.lines.map(({ label }) => label).join();
  const columns = useMemo(() => columnsOf(data, stack === true), [data, stack]);

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const chart = new uPlot(
      optionsOf({
        element,
        width: Math.max(1, element.clientWidth),
        props: () => latest.current,
        onPoint: (at) => {
          pointed.value = at;
        },
      }),
      columns,
      element,
    );
    drawn.current = chart;
    const watch = new ResizeObserver(() => {
      if (element.clientWidth > 0) chart.setSize({ width: element.clientWidth, height });
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
      drawn.current = undefined;
    };
    // Other lines need another chart; other values do not.
  }, [names, stack]);

  useEffect(() => {
    drawn.current?.setData(columns);
  }, [columns]);

  const changes = theme.changes.value;
  useEffect(() => {
    drawn.current?.redraw(false);
  }, [changes]);

  const at = pointed.value;
  const time = at === null ? undefined : data.times[at];
  return (
    <section class="card chart" aria-label={title}>
      <header>
        <h2>
          {title} <span class="chart-time">{time === undefined ? "" : clock(time * 1000)}</span>
        </h2>
        <button
          type="button"
          class="plain"
          aria-expanded={table.value}
          onClick={() => {
            table.value = !table.value;
          }}
        >
          {table.value ? "Hide the table" : "Table"}
          <span class="unseen"> of {title}</span>
        </button>
        <p class="figure">
          {figure} {note !== undefined && <small>{note}</small>}
        </p>
      </header>
      <div
        ref={place}
        class="canvas"
        role="img"
        aria-label={`${title}: ${summary(data.lines, format)}. The table has all values.`}
      />
      <ul class="legend">
        {data.lines.map((line) => {
          const value = at === null ? latestOf(line.values) : (line.values[at] ?? null);
          return (
            <li key={line.label} class={line.dashed ? "dashed" : ""}>
              <span class={`swatch ${line.colour}`} />
              {line.label} <b>{value === null ? "–" : format(value)}</b>
            </li>
          );
        })}
      </ul>
      {table.value && <ChartTable title={title} data={data} format={format} />}
    </section>
  );
};

const columnsOf = ({ times, lines }: ChartData, stack: boolean): uPlot.AlignedData => [
  [...times],
  ...(stack ? stacked(lines) : lines.map(({ values }) => values)).map((values) => [...values]),
];

const summary = (lines: readonly Line[], format: (value: number) => string): string =>
  lines
    .map(({ label, values }) => {
      const value = latestOf(values);
      return `${label} ${value === null ? "unknown" : format(value)}`;
    })
    .join(", ");

/** The current value of a style sheet colour, in the form that canvases accept. */
const colourOf = (element: HTMLElement, name: string): string =>
  computed(element, `var(--${name})`);

/** The same, paler. Stacked areas overlap, so they must be opaque. */
const paleOf = (element: HTMLElement, name: string): string =>
  computed(element, `color-mix(in srgb, var(--${name}) 45%, var(--card))`);

const computed = (element: HTMLElement, colour: string): string => {
  element.style.color = colour;
  return getComputedStyle(element).color;
};

const powersOfTwo = Array.from({ length: 50 }, (_, power) => 2 ** power);

interface Options {
  /** An element whose computed colour resolves a name; it has no text. */
  readonly element: HTMLElement;
  readonly width: number;
  readonly props: () => Props;
  readonly onPoint: (at: number | null) => void;
}

const optionsOf = ({ element, width, props, onPoint }: Options): uPlot.Options => {
  const { data, stack, binary } = props();
  // Stacked areas are drawn from the largest sum to the smallest.
  const lines = stack ? data.lines.toReversed() : data.lines;
  const axis = {
    stroke: () => colourOf(element, "soft"),
    font: "11px system-ui, sans-serif",
    grid: { stroke: () => colourOf(element, "line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    padding: [8, halfLabel, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      sync: { key: "figures" },
      points: { show: false },
    },
    scales: {
      y: {
        range: (chart) => {
          const { min, max } = props();
          const top = Math.max(min, maxOf(chart.data.slice(1) as (number | null)[][]) * 1.1);
          return [0, max === undefined ? top : Math.min(top, max)];
        },
      },
    },
    axes: [
      {
        ...axis,
        size: 24,
        space: 70,
        grid: { show: false },
        values: (_chart, at) => at.map((time) => clock(time * 1000)),
      },
      {
        ...axis,
        size: 64,
        space: 34,
        ...(binary ? { incrs: powersOfTwo } : {}),
        values: (_chart, at) => at.map((value) => props().format(value)),
      },
    ],
    series: [
      {},
      ...lines.map(({ label, colour, dashed }) => ({
        label,
        stroke: () => colourOf(element, `chart-${colour}`),
        ...(stack ? { fill: () => paleOf(element, `chart-${colour}`) } : {}),
        ...(dashed ? { dash: [4, 4] } : {}),
        width: stack ? 1 : 1.75,
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [(chart) => onPoint(chart.cursor.idx ?? null)] },
  };
};

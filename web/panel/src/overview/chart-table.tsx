import { clock } from "../format/times.ts";
import type { ChartData } from "./series.ts";

interface Props {
  readonly title: string;
  readonly data: ChartData;
  readonly format: (value: number) => string;
}

/** The values of a chart, latest first. */
export const ChartTable = ({ title, data, format }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
  <section class="scroll chart-table" tabIndex={0} aria-label={`Table of ${title}`}>
    <table>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {data.lines.map(({ label }) => (
            <th key={label} scope="col" class="number">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data.times
          .map((time, at) => (
            <tr key={time}>
              <th scope="row">{clock(time * 1000)}</th>
              {data.lines.map(({ label, values }) => {
                const value = values[at] ?? null;
                return (
                  <td key={label} class="number">
                    {value === null ? "–" : format(value)}
                  </td>
                );
              })}
            </tr>
          ))
          .reverse()}
      </tbody>
    </table>
  </section>
);

/** A figure of two results side by side. */
export interface Row {
  readonly figure: string;
  readonly before: number;
  readonly after: number;
  /** After divided by before. */
  readonly ratio: number;
  /** Relative change for the worse, 0.1 for 10 %; negative for an improvement. */
  readonly worse: number;
  /** Whether it counts as a regression. */
  readonly judged: boolean;
}

/** Compares two results (as read from their files); omits what either lacks. */
export const compare = (before: unknown, after: unknown): readonly Row[] =>
  figures.flatMap(({ figure, path, more, judged }) => {
    const old = at(before, path);
    const now = at(after, path);
    if (old === undefined || now === undefined || old === 0 || now === 0) return [];
    const ratio = now / old;
    const worse = more === "better" ? 1 / ratio - 1 : ratio - 1;
    return [{ figure, before: old, after: now, ratio, worse, judged }];
  });

/** The rows for people, one per line. */
export const describeComparison = (rows: readonly Row[]): string =>
  rows
    .map(({ figure, before, after, ratio }) =>
      [
        figure.padEnd(24),
        figureText(before).padStart(14),
        figureText(after).padStart(14),
        `× ${ratio.toFixed(2)}`.padStart(8),
      ].join(" "),
    )
    .join("\n");

const figures = [
  { figure: "requests per second", path: ["perSecond"], more: "better", judged: true },
  { figure: "p50 (ms)", path: ["milliseconds", "p50"], more: "worse", judged: false },
  { figure: "p95 (ms)", path: ["milliseconds", "p95"], more: "worse", judged: true },
  { figure: "p99 (ms)", path: ["milliseconds", "p99"], more: "worse", judged: false },
  { figure: "peak memory (bytes)", path: ["memory", "peak"], more: "worse", judged: true },
] as const;

const at = (result: unknown, path: readonly string[]): number | undefined => {
  let value: unknown = result;
  for (const name of path)
    value =
      typeof value === "object" && value !== null
        ? Object.getOwnPropertyDescriptor(value, name)?.value
        : undefined;
  return typeof value === "number" ? value : undefined;
};

const figureText = (value: number): string =>
  value >= 1000 ? value.toFixed(0) : value.toPrecision(4);

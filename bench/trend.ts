/** A sample of something that changes. */
export interface Sample {
  readonly seconds: number;
  readonly value: number;
}

/** By how much a value rises in a second, by least squares; 0 of fewer than two samples. */
export const slopeOf = (samples: readonly Sample[]): number => {
  const count = samples.length;
  const meanTime = samples.reduce((sum, { seconds }) => sum + seconds, 0) / count;
  const meanValue = samples.reduce((sum, { value }) => sum + value, 0) / count;
  const spread = samples.reduce((sum, { seconds }) => sum + (seconds - meanTime) ** 2, 0);
  if (count < 2 || spread === 0) return 0;
  const together = samples.reduce(
    (sum, { seconds, value }) => sum + (seconds - meanTime) * (value - meanValue),
    0,
  );
  return together / spread;
};

/** Samples as columns of text, so many rows high; the scale begins at 0 and ends at `top`. */
export const chart = (
  samples: readonly Sample[],
  { rows, columns, top }: { readonly rows: number; readonly columns: number; readonly top: number },
): string => {
  const end = (samples.at(-1)?.seconds ?? 0) + 1;
  let last = 0;
  const heights = Array.from({ length: columns }, (_, column) => {
    const inside = samples.filter(
      ({ seconds }) => Math.floor((seconds / end) * columns) === column,
    );
    // Several in a column: the highest; none: as before.
    last = inside.length === 0 ? last : Math.max(...inside.map(({ value }) => value)) / top;
    return last;
  });
  const lines = Array.from({ length: rows }, (_, fromTop) => {
    const level = rows - fromTop;
    const bar = heights.map((height) => (height * rows > level - 0.5 ? "#" : " ")).join("");
    return `${((top * level) / rows).toFixed(0).padStart(7)} |${bar.trimEnd()}`;
  });
  const axis = `${"0".padStart(7)} +${"-".repeat(columns)} ${Math.round(end - 1)} s`;
  return [...lines, axis].join("\n");
};

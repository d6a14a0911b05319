/** How full something is, 0 to 1. Screen readers read the label. */
export const Meter = ({ part, label }: { readonly part: number; readonly label: string }) => (
  <meter
    class="meter"
    min={0}
    max={1}
    high={0.95}
    value={Math.min(1, Math.max(0, part))}
    aria-label={label}
  >
    {label}
  </meter>
);

/** Progress of a task, 0 to 1. */
export const Progress = ({ part, label }: { readonly part: number; readonly label: string }) => (
  <progress class="progress" max={1} value={part} aria-label={label}>
    {Math.round(part * 100)} %
  </progress>
);

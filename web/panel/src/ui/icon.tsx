/** Drawn on 24 × 24, with strokes. */
const paths = {
  overview: "M4 19V11M10 19V5M16 19v-6M21 19H3",
  images: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9.5h.01",
  access: "M12 3l7 3v5c0 4.5-3 8-7 10c-4-2-7-5.500-7-10V6zM9 12l2 2 4-4",
  configuration:
    "M4 7h9M19 7h1M4 17h3M13 17h7M16 7m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0M10 17m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
  caches:
    "M12 4c4.4 0 8 1.3 8 3s-3.6 3-8 3-8-1.3-8-3 3.6-3 8-3zM4 7v5c0 1.7 3.6 3 8 3s8-1.3 8-3V7M4 12v5c0 1.7 3.6 3 8 3s8-1.3 8-3v-5",
  pyramids: "M12 4l4 6H8zM8 10l-4.500 9h17L16 10M6 15h12",
  logs: "M5 6h14M5 10h14M5 14h9M5 18h6",
  formats: "M7 3h7l4 4v14H7zM14 3v4h4M10 13h5M10 17h5",
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M6 6l12 12M18 6L6 18",
  warning: "M12 4L2.5 20h19zM12 10v5M12 17.5h.01",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13zM15.5 15.5L20 20",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  open: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  undo: "M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10h-3",
  redo: "M16 5l4 4-4 4M20 9H10a5 5 0 0 0 0 10h3",
  pause: "M8 5v14M16 5v14",
  play: "M7 5l12 7-12 7z",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  home: "M4 11l8-7 8 7M6 10v9h12v-9",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  none: "M7 12h10",
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon beside a text; hidden from screen readers. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
);

import type { PyramidRecord } from "../server/wire.ts";

export type PyramidState = PyramidRecord["state"];

/** A state to list; `all` for every one. */
export type Shown = PyramidState | "all";

/** Rows of a page of the list. */
const max = 50;

/** The place in the list. */
export interface Place {
  readonly shown: Shown;
  /** The cursors of the pages from the second one to this. */
  readonly cursors: readonly string[];
}

/** The first page of a list. */
export const firstOf = (shown: Shown): Place => ({ shown, cursors: [] });

/** The page that follows, by the cursor that the server gave. */
export const nextOf = ({ shown, cursors }: Place, cursor: string): Place => ({
  shown,
  cursors: [...cursors, cursor],
});

/** The page before. */
export const previousOf = ({ shown, cursors }: Place): Place => ({
  shown,
  cursors: cursors.slice(0, -1),
});

/** The path of a page, below `api/`. */
export const pathOf = ({ shown, cursors }: Place): string => {
  const query = new URLSearchParams({ max: String(max) });
  const after = cursors.at(-1);
  if (after !== undefined) query.set("after", after);
  if (shown !== "all") query.set("state", shown);
  return `pyramids?${query}`;
};

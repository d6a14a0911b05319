import { computed, type ReadonlySignal, signal } from "@preact/signals";

/** New values by key, as in a file; null for the default. */
export type Edits = Readonly<Record<string, string | null>>;

/** Edits in progress, with undo. */
export interface Draft {
  readonly edits: ReadonlySignal<Edits>;
  readonly canUndo: ReadonlySignal<boolean>;
  readonly canRedo: ReadonlySignal<boolean>;
  /** Sets a key's new value; undefined leaves the server's. */
  edit(key: string, value: string | null | undefined): void;
  /** Replaces all edits. */
  replace(edits: Edits): void;
  undo(): void;
  redo(): void;
  /** Clears all edits and the history: they are saved. */
  settle(): void;
}

/** Maximum number of undo steps. */
const max = 200;

interface History {
  readonly past: readonly Edits[];
  readonly present: Edits;
  readonly future: readonly Edits[];
  /** The key of the latest edit: typing into one field is one step. */
  readonly latest?: string;
}

const nothing: History = { past: [], present: {}, future: [] };

export const createDraft = (): Draft => {
  const history = signal<History>(nothing);
  const step = (present: Edits, key?: string): void => {
    const { past, present: before, latest } = history.value;
    const goesOn = key !== undefined && key === latest;
    history.value = {
      past: goesOn ? past : [...past, before].slice(-max),
      present,
      future: [],
      ...(key === undefined ? {} : { latest: key }),
    };
  };
  return {
    edits: computed(() => history.value.present),
    canUndo: computed(() => history.value.past.length > 0),
    canRedo: computed(() => history.value.future.length > 0),
    edit(key, value) {
      const { [key]: before, ...others } = history.value.present;
      if (before === value) return;
      step(value === undefined ? others : { ...others, [key]: value }, key);
    },
    replace: (edits) => step(edits),
    undo() {
      const { past, present, future } = history.value;
      const before = past.at(-1);
      if (before === undefined) return;
      history.value = { past: past.slice(0, -1), present: before, future: [present, ...future] };
    },
    redo() {
      const { past, present, future } = history.value;
      const [next, ...rest] = future;
      if (next === undefined) return;
      history.value = { past: [...past, present], present: next, future: rest };
    },
    settle() {
      history.value = nothing;
    },
  };
};

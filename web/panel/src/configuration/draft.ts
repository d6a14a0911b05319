import { computed, type ReadonlySignal, signal } from "@preact/signals";

/** New values by key, as a file would spell them; null for the default. */
export type Edits = Readonly<Record<string, string | null>>;

/** Changes that are being made, and the way back. */
export interface Draft {
  readonly edits: ReadonlySignal<Edits>;
  readonly canUndo: ReadonlySignal<boolean>;
  readonly canRedo: ReadonlySignal<boolean>;
  /** Sets a key's new value; undefined leaves the key as it is on the server. */
  edit(key: string, value: string | null | undefined): void;
  /** Puts other edits in the place of all there are. */
  replace(edits: Edits): void;
  undo(): void;
  redo(): void;
  /** Forgets all edits and the way back: they are saved. */
  settle(): void;
}

/** How many steps one can go back. */
const max = 200;

interface History {
  readonly past: readonly Edits[];
  readonly present: Edits;
  readonly future: readonly Edits[];
  /** The key of the latest edit: what is typed into one field is one step. */
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

import { type ReadonlySignal, signal } from "@preact/signals";

/** A message that is shown for a while. */
export interface Notice {
  readonly number: number;
  readonly tone: "good" | "bad";
  readonly text: string;
  /** An action it offers. */
  readonly action?: { readonly label: string; readonly act: () => void };
}

export interface Notices {
  /** Oldest first. */
  readonly shown: ReadonlySignal<readonly Notice[]>;
  say(tone: Notice["tone"], text: string, action?: Notice["action"]): void;
  dismiss(number: number): void;
}

/**
 * Milliseconds that a notice stays; those with an action stay longer, since deciding takes time.
 */
const stay = 8_000;
const stayWithAction = 30_000;
const max = 4;

export const createNotices = (): Notices => {
  const shown = signal<readonly Notice[]>([]);
  let last = 0;
  const dismiss = (number: number): void => {
    shown.value = shown.value.filter((notice) => notice.number !== number);
  };
  return {
    shown,
    dismiss,
    say(tone, text, action) {
      last++;
      const number = last;
      const notice = { number, tone, text, ...(action ? { action } : {}) };
      shown.value = [...shown.value, notice].slice(-max);
      setTimeout(() => dismiss(number), action ? stayWithAction : stay);
    },
  };
};

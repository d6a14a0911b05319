import type { ComponentChildren } from "preact";
import type { Live } from "../server/live.ts";
import { Icon } from "./icon.tsx";

/** An error, with a retry button where possible. */
export const Trouble = ({
  text,
  again,
}: {
  readonly text: string;
  readonly again?: () => void;
}) => (
  <div class="state trouble" role="alert">
    <Icon name="warning" />
    <p>{text}</p>
    {again && (
      <button type="button" onClick={again}>
        Try again
      </button>
    )}
  </div>
);

/** Explains why there is nothing to show. */
export const Empty = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="state empty">{children}</div>
);

/** Shown while loading. */
export const Loading = ({ text = "Loading …" }: { readonly text?: string }) => (
  <div class="state loading" role="status">
    <span class="shimmer" />
    <span class="shimmer" />
    <span class="shimmer" />
    <span class="unseen">{text}</span>
  </div>
);

interface Props<T> {
  readonly live: Live<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** The server's data once loaded, with an error above it, or in its place. */
export const Loaded = <T,>({ live, children }: Props<T>) => {
  const value = live.value.value;
  const problem = live.problem.value;
  return (
    <>
      {problem !== undefined && (
        <Trouble
          text={value === undefined ? problem : `The data shown may be out of date. ${problem}`}
          again={live.again}
        />
      )}
      {value !== undefined ? children(value) : problem === undefined && <Loading />}
    </>
  );
};

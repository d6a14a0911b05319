import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { count } from "../format/numbers.ts";
import type { LogLevel } from "../server/wire.ts";
import { Icon } from "../ui/icon.tsx";
import { Empty, Loading, Trouble } from "../ui/states.tsx";
import { useLines } from "./follow.ts";
import { LogLine } from "./log-line.tsx";

const levels: Readonly<Record<LogLevel, string>> = {
  trace: "All levels",
  debug: "Debug and up",
  info: "Info and up",
  warn: "Warnings and errors",
  error: "Errors only",
};

/** The latest entries of the application log, as they arrive. */
export const Logs = () => {
  const level = useSignal<LogLevel>("trace");
  const text = useSignal("");
  const paused = useSignal(false);
  const log = useLines({ level: level.value, text: text.value }, paused.value);
  const place = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const lines = log.lines;

  useEffect(() => {
    const element = place.current;
    if (element && follows.current) element.scrollTop = element.scrollHeight;
  }, [lines]);

  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label class="field">
          <span>Level</span>
          <select
            value={level.value}
            onChange={(event) => {
              level.value = event.currentTarget.value as LogLevel;
            }}
          >
            {(Object.keys(levels) as LogLevel[]).map((name) => (
              <option key={name} value={name}>
                {levels[name]}
              </option>
            ))}
          </select>
        </label>
        <label class="field grow">
          <span>Text</span>
          <input
            type="search"
            value={text.value}
            placeholder="In message or fields"
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
        </label>
        <button
          type="button"
          aria-pressed={paused.value}
          onClick={() => {
            paused.value = !paused.value;
          }}
        >
          <Icon name={paused.value ? "play" : "pause"} />
          {paused.value ? "Go on" : "Pause"}
        </button>
      </form>
      {log.problem !== undefined && <Trouble text={log.problem} />}
      <div
        ref={place}
        class="card log"
        role="log"
        aria-label="Log"
        // Announcing each entry would drown everything else; the line below has their number.
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        tabIndex={0}
        onScroll={(event) => {
          const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
          follows.current = scrollHeight - scrollTop - clientHeight < 40;
        }}
      >
        {lines === undefined ? (
          log.problem === undefined && <Loading />
        ) : lines.length === 0 ? (
          <Empty>
            {log.kept === 0
              ? "No entries are kept in memory: log.application.latest is 0."
              : "No log entry matches."}
          </Empty>
        ) : (
          lines.map((entry) => <LogLine key={entry.number} entry={entry} />)
        )}
      </div>
      <p class="soft" role="status">
        {lines === undefined ? "" : `${count(lines.length)} lines`}
        {log.kept === undefined ? "" : `; the server keeps the latest ${count(log.kept)}`}
        {paused.value ? "; paused" : ""}.
      </p>
    </>
  );
};

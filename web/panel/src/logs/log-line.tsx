import { useSignal } from "@preact/signals";
import { absolute, clock } from "../format/times.ts";
import type { LogEntry } from "../server/wire.ts";
import { fieldsText } from "./lines.ts";

/** A log entry; pressing it shows all of its fields. */
export const LogLine = ({ entry }: { readonly entry: LogEntry }) => {
  const open = useSignal(false);
  const { time, level, message, fields } = entry;
  const at = Date.parse(time);
  const worker = fields["worker"];
  const short = fieldsText(fields);
  const known = Object.keys(fields).length > 0;
  return (
    <div class={`log-line ${level}`}>
      <time dateTime={time} title={absolute(at)}>
        {clock(at)}
      </time>
      <span class="log-level">{level}</span>
      <span class="log-worker" title="Worker">
        {typeof worker === "number" || typeof worker === "string" ? worker : ""}
      </span>
      <span class="log-text">
        {known ? (
          <button
            type="button"
            aria-expanded={open.value}
            onClick={() => {
              open.value = !open.value;
            }}
          >
            {message}
          </button>
        ) : (
          message
        )}
        {!open.value && short !== "" && <span class="log-fields"> {short}</span>}
        {open.value && <pre>{JSON.stringify(fields, undefined, 2)}</pre>}
      </span>
    </div>
  );
};

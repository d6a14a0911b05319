import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { count, plural } from "../format/numbers.ts";
import { usePanel } from "../panel.ts";
import { hashOf } from "../routes.ts";
import { useLive } from "../server/live.ts";
import type { ConfigurationReport } from "../server/wire.ts";
import { Choice } from "../ui/choice.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { useCheck } from "./check.ts";
import { differences, entriesOf } from "./differences.ts";
import { EditBar } from "./edit-bar.tsx";
import { Entry } from "./entry.tsx";
import { Problems } from "./problems.tsx";
import { type Filter, found } from "./search.ts";

const filterNames: readonly { readonly value: Filter; readonly label: string }[] = [
  { value: "all", label: "All" },
  { value: "set", label: "Set" },
  { value: "edited", label: "Edited" },
  { value: "waiting", label: "Waiting" },
];

/** All keys, to view and change. */
export const Configuration = () => {
  const report = useLive<ConfigurationReport>("configuration", 0);
  return <Loaded live={report}>{(value) => <Keys report={value} again={report.again} />}</Loaded>;
};

interface Props {
  readonly report: ConfigurationReport;
  readonly again: () => void;
}

const Keys = ({ report, again }: Props) => {
  const { draft, route } = usePanel();
  // The search text is part of the URL, so that it can be linked to.
  const text = useSignal(route.value.detail);
  const filter = useSignal<Filter>("all");
  const edits = draft.edits.value;
  const check = useCheck(edits);
  const changed = useMemo(() => differences(report, edits), [report, edits]);
  const groups = found(report.groups, { text: text.value, filter: filter.value, edits });
  const shown = groups.reduce((sum, { entries }) => sum + entries.length, 0);

  useEffect(() => {
    if (route.value.section === "configuration") text.value = route.value.detail;
  }, [route.value]);
  useUndoKeys();

  return (
    <>
      <p class="lead">
        {report.files.length === 0
          ? "There is no configuration file: changes are lost when the server stops."
          : `Read from ${report.files.join(", ")}.`}
      </p>
      <LockedNote report={report} />
      <Problems report={report} />
      <search class="filters sticky">
        <label class="field grow">
          <span class="unseen">Search keys</span>
          <input
            type="search"
            placeholder="Search keys, help and values"
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
              history.replaceState(null, "", hashOf("configuration", text.value));
            }}
          />
        </label>
        <Choice
          legend="Which keys"
          options={filterNames}
          value={filter.value}
          onChange={(value) => {
            filter.value = value;
          }}
        />
        <span class="soft" role="status">
          {plural(shown, "key")}
        </span>
      </search>
      <div class="keys">
        <nav class="groups" aria-label="Groups of keys">
          <ul>
            {groups.map(({ title, entries }) => (
              <li key={title}>
                <a
                  href={hashOf("configuration", text.value)}
                  onClick={(event) => {
                    event.preventDefault();
                    const heading = document.getElementById(groupId(title));
                    heading?.scrollIntoView({ block: "start" });
                    heading?.focus({ preventScroll: true });
                  }}
                >
                  {title} <span class="soft">{count(entries.length)}</span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div>
          {groups.map(({ title, entries }) => (
            <section key={title} class="card group" aria-labelledby={groupId(title)}>
              <h2 id={groupId(title)} tabIndex={-1}>
                {title}
              </h2>
              {entries.map((entry) => (
                <Entry
                  key={entry.key}
                  entry={entry}
                  edit={edits[entry.key]}
                  problem={check.byKey[entry.key]}
                />
              ))}
            </section>
          ))}
          {groups.length === 0 && (
            <Empty>
              <p>No key matches.</p>
              <button
                type="button"
                onClick={() => {
                  text.value = "";
                  filter.value = "all";
                  history.replaceState(null, "", hashOf("configuration"));
                }}
              >
                Show all keys
              </button>
            </Empty>
          )}
        </div>
      </div>
      {changed.length > 0 && (
        <EditBar report={report} changed={changed} check={check} onSaved={again} />
      )}
    </>
  );
};

/** How locked keys can be changed; hidden where none could be. */
const LockedNote = ({ report }: Pick<Props, "report">) => {
  const locks = entriesOf(report).flatMap(({ lock }) => (lock?.allowedBy ? [lock.allowedBy] : []));
  const [allowing] = locks;
  return allowing === undefined ? null : (
    <p class="lead">
      {plural(locks.length, "key")} can only be changed in the file. To change them here as well,
      set <code>{allowing} = true</code> in the file.
    </p>
  );
};

const groupId = (title: string): string =>
  `group-${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;

/** Undo and redo by the usual keys, except in fields, which have their own. */
const useUndoKeys = (): void => {
  const { draft } = usePanel();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target;
      if (target instanceof HTMLElement && target.matches("input, textarea, select")) return;
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
      event.preventDefault();
      if (event.shiftKey) draft.redo();
      else draft.undo();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [draft]);
};

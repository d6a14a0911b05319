import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLive } from "../server/live.ts";
import type { PyramidsListed, TaskRequest } from "../server/wire.ts";
import { Choice } from "../ui/choice.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { firstOf, nextOf, type Place, pathOf, previousOf, type Shown } from "./paging.ts";
import { PyramidTable, stateWords } from "./pyramid-table.tsx";

interface Props {
  /** Called with a task to confirm. */
  readonly onAsk: (request: TaskRequest) => void;
  /** Changes when the list is to be loaded again at once. */
  readonly version: number;
}

/** In this order. */
const choices: readonly { readonly value: Shown; readonly label: string }[] = [
  { value: "all", label: "All" },
  ...(["ready", "making", "waiting", "refused"] as const).map((value) => ({
    value,
    label: stateWords[value].label,
  })),
];

/** The pyramids by state, a page at a time. */
export const PyramidList = ({ onAsk, version }: Props) => {
  const place = useSignal<Place>(firstOf("all"));
  return (
    <section class="card" aria-labelledby="pyramid-list">
      <div class="row">
        <h2 id="pyramid-list">List</h2>
        <Choice
          legend="State"
          options={choices}
          value={place.value.shown}
          onChange={(shown) => {
            place.value = firstOf(shown);
          }}
        />
      </div>
      <ListPage
        key={pathOf(place.value)}
        place={place.value}
        onAsk={onAsk}
        version={version}
        onTurn={(next) => {
          place.value = next;
        }}
      />
    </section>
  );
};

interface PageProps extends Props {
  readonly place: Place;
  readonly onTurn: (place: Place) => void;
}

/** Seconds between two requests for the page that is shown. */
const pace = 3;

const ListPage = ({ place, onAsk, onTurn, version }: PageProps) => {
  const live = useLive<PyramidsListed>(pathOf(place), pace);
  useEffect(() => {
    if (version > 0) live.again();
  }, [version]);
  const isFirst = place.cursors.length === 0;
  return (
    <Loaded live={live}>
      {({ records, next }) => (
        <>
          {records.length === 0 ? (
            <Empty>{emptyText(place, next !== undefined)}</Empty>
          ) : (
            <PyramidTable records={records} onAsk={onAsk} />
          )}
          {(!isFirst || next !== undefined) && (
            <nav class="row start" aria-label="Pages of the list">
              <button type="button" disabled={isFirst} onClick={() => onTurn(previousOf(place))}>
                ‹ Previous
              </button>
              <span class="soft">Page {place.cursors.length + 1}</span>
              <button
                type="button"
                disabled={next === undefined}
                onClick={() => next !== undefined && onTurn(nextOf(place, next))}
              >
                Next ›
              </button>
            </nav>
          )}
        </>
      )}
    </Loaded>
  );
};

const emptyText = ({ shown, cursors }: Place, isMore: boolean): string => {
  if (isMore) return "None on this page; see the next one.";
  if (cursors.length > 0) return "There are no more.";
  if (shown === "all")
    return "There are no pyramids yet. Images that are slow to zoom get one when they are zoomed into.";
  return `None is ${stateWords[shown].label.toLowerCase()}.`;
};

import { bytes, count, percent } from "../format/numbers.ts";
import { hashOf } from "../routes.ts";
import type { PyramidRecord, TaskRequest } from "../server/wire.ts";
import { Progress } from "../ui/meter.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import type { PyramidState } from "./paging.ts";

/** The words for the states, and their colours. */
export const stateWords: Readonly<
  Record<PyramidState, { readonly label: string; readonly tone: string }>
> = {
  ready: { label: "Made", tone: "green" },
  making: { label: "Being made", tone: "accent" },
  waiting: { label: "Waiting", tone: "grey" },
  refused: { label: "Refused", tone: "red" },
};

interface Props {
  readonly records: readonly PyramidRecord[];
  /** Called with a task to confirm. */
  readonly onAsk: (request: TaskRequest) => void;
}

const headings = ["Image", "State", "Page", "Pixels", "File", "Pyramid", "Made", "Used", "Actions"];

/** Pages whose pyramid is made, being made, waiting or refused. */
export const PyramidTable = ({ records, onAsk }: Props) => (
  <Table label="List of pyramids" headings={headings} textColumns={2}>
    {records.map((record) => (
      <Row
        key={`${record.state} ${record.page} ${record.identifier} ${record.made ?? ""}`}
        record={record}
        onAsk={onAsk}
      />
    ))}
  </Table>
);

interface RowProps {
  readonly record: PyramidRecord;
  readonly onAsk: Props["onAsk"];
}

const Row = ({ record, onAsk }: RowProps) => {
  const { identifier, page, state, size, sourceBytes, made, used, reason, progress } = record;
  return (
    <tr>
      <th scope="row" class="pyramid-image">
        <a class="code break" href={hashOf("images", identifier)}>
          {identifier}
        </a>
        {reason !== undefined && <small class="bad">{reason}</small>}
      </th>
      <td>
        <span class={`pill ${stateWords[state].tone}`}>{stateWords[state].label}</span>
        {progress !== undefined && (
          <>
            <Progress part={progress} label={`${identifier} is being made`} />
            <small class="soft number">{percent(progress)}</small>
          </>
        )}
      </td>
      <td class="number">{page}</td>
      <td class="number">
        {size === undefined ? "–" : `${count(size.width)} × ${count(size.height)}`}
      </td>
      <td class="number">{sourceBytes === undefined ? "–" : bytes(sourceBytes)}</td>
      <td class="number">{record.bytes === undefined ? "–" : bytes(record.bytes)}</td>
      <td class="number">{made === undefined ? "–" : <Time at={made} />}</td>
      <td class="number">{used === undefined ? "–" : <Time at={used} />}</td>
      <td class="number">
        {state === "refused" && (
          <button
            type="button"
            class="plain"
            onClick={() => onAsk({ verb: "MakePyramid", identifier })}
          >
            Make …<span class="unseen"> the pyramids of {identifier}</span>
          </button>
        )}
        {state === "ready" && (
          <button
            type="button"
            class="plain"
            onClick={() => onAsk({ verb: "PurgePyramid", identifier })}
          >
            Delete …<span class="unseen"> the pyramids of {identifier}</span>
          </button>
        )}
      </td>
    </tr>
  );
};

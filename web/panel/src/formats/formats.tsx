import { useLive } from "../server/live.ts";
import type { AbilityStatus, FormatStatus, SourceStatus, Status } from "../server/wire.ts";
import { Icon } from "../ui/icon.tsx";
import { Empty, Loaded } from "../ui/states.tsx";

/** What can be read and written, and by which software. */
export const Formats = () => {
  const status = useLive<Status>("status", 30);
  return (
    <Loaded live={status}>
      {({ formats, sources }) => (
        <>
          <FormatTable formats={formats} />
          <Missing formats={formats} />
          <Sources sources={sources} formats={formats} />
        </>
      )}
    </Loaded>
  );
};

const FormatTable = ({ formats }: { readonly formats: readonly FormatStatus[] }) => (
  <section class="card" aria-labelledby="formats">
    <h2 id="formats">Formats</h2>
    <table class="formats">
      <thead>
        <tr>
          <th scope="col">Format</th>
          <th scope="col">Read</th>
          <th scope="col">Written</th>
        </tr>
      </thead>
      <tbody>
        {formats.map(({ format, name, read, write }) => (
          <tr key={format}>
            <th scope="row">
              {name} <span class="code soft">{format}</span>
            </th>
            <td>
              <Ability ability={read} />
            </td>
            <td>
              <Ability ability={write} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const Ability = ({ ability }: { readonly ability: AbilityStatus }) => (
  <span class={`ability ${ability.available ? "yes" : ability.by === undefined ? "never" : "no"}`}>
    <Icon name={ability.available ? "check" : ability.by === undefined ? "none" : "cross"} />
    <span class="unseen">{ability.available ? "Yes" : "No"}</span>
    <span>
      {ability.by ?? (ability.available ? "" : "no codec")}
      {ability.version !== undefined && <small> {ability.version}</small>}
    </span>
  </span>
);

/** What has to be installed for more. */
const Missing = ({ formats }: { readonly formats: readonly FormatStatus[] }) => {
  const missing = formats.flatMap(({ format, name, read, write }) =>
    (
      [
        ["reading", read],
        ["writing", write],
      ] as const
    ).flatMap(([act, ability]) =>
      ability.available || ability.missing === undefined
        ? []
        : [{ id: `${act} ${format}`, what: `${act} ${name}`, text: ability.missing }],
    ),
  );
  return (
    <section class="card" aria-labelledby="missing">
      <h2 id="missing">Missing packages and programs</h2>
      {missing.length === 0 ? (
        <Empty>Nothing: every codec of Vitrine is available.</Empty>
      ) : (
        <dl class="facts missing">
          {missing.map(({ id, what, text }) => (
            <div key={id}>
              <dt>For {what}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
};

interface SourcesProps {
  readonly sources: readonly SourceStatus[];
  readonly formats: readonly FormatStatus[];
}

const Sources = ({ sources, formats }: SourcesProps) => {
  const names = new Map(formats.map(({ format, name }) => [format, name]));
  return (
    <section class="card" aria-labelledby="sources">
      <h2 id="sources">Sources</h2>
      {sources.length === 0 ? (
        <Empty>No source has been used since the start.</Empty>
      ) : (
        <dl class="facts">
          {sources.map(({ kind, served }) => (
            <div key={kind}>
              <dt class="code">{kind}</dt>
              <dd>
                {served.length === 0
                  ? "Nothing has been read from it since the start."
                  : `Read since the start: ${served.map((format) => names.get(format) ?? format).join(", ")}.`}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
};

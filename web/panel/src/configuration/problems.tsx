import { hashOf } from "../routes.ts";
import type { ConfigurationReport } from "../server/wire.ts";
import { Icon } from "../ui/icon.tsx";

/** Problems: pending changes, and faults of the files. */
export const Problems = ({ report }: { readonly report: ConfigurationReport }) => {
  const { pending, unwritten, problems } = report;
  const serious = problems.filter(({ severity }) => severity !== "note");
  const notes = problems.filter(({ severity }) => severity === "note");
  return (
    <>
      {pending.length + unwritten.length + serious.length > 0 && (
        <section class="card warnings" aria-labelledby="to-do">
          <h2 id="to-do">
            <Icon name="warning" />
            Needs attention
          </h2>
          <ul>
            {pending.length > 0 && (
              <li>
                New values need a restart: <KeyLinks keys={pending} />.
              </li>
            )}
            {unwritten.length > 0 && (
              <li>
                Not in the file yet: <KeyLinks keys={unwritten} />.
              </li>
            )}
            {serious.map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </section>
      )}
      {notes.length > 0 && (
        <details class="card">
          <summary>
            Notes <span class="soft">{notes.length}</span>
          </summary>
          <ul class="problems">
            {notes.map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
};

const KeyLinks = ({ keys }: { readonly keys: readonly string[] }) => (
  <>
    {keys.map((key, at) => (
      <span key={key}>
        {at > 0 && ", "}
        <a class="code" href={hashOf("configuration", key)}>
          {key}
        </a>
      </span>
    ))}
  </>
);

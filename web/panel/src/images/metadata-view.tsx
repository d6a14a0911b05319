import type { Metadata } from "../server/wire.ts";
import { Empty } from "../ui/states.tsx";
import { metadataGroups } from "./metadata-rows.ts";

/** A file's metadata. */
export const MetadataView = ({ metadata }: { readonly metadata: Metadata }) => {
  const groups = metadataGroups(metadata);
  return (
    <section class="card" aria-labelledby="metadata">
      <h2 id="metadata">Metadata</h2>
      {groups.length === 0 && <Empty>The file has no metadata.</Empty>}
      {groups.map(({ title, rows }) => (
        <details key={title}>
          <summary>
            {title} <span class="soft">{rows.length}</span>
          </summary>
          <dl class="metadata">
            {rows.map(({ name, value }, at) => (
              <div key={String(at)}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
      {metadata.xmp && (
        <details>
          <summary>XMP as stored</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
          <pre tabIndex={0}>{metadata.xmp.packet}</pre>
        </details>
      )}
      {metadata.problems.length > 0 && (
        <ul class="problems">
          {metadata.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </section>
  );
};

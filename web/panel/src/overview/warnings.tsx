import { Icon } from "../ui/icon.tsx";

/** What needs attention; nothing where everything is fine. */
export const Warnings = ({ warnings }: { readonly warnings: readonly string[] }) =>
  warnings.length === 0 ? null : (
    <section class="card warnings" aria-labelledby="warnings">
      <h2 id="warnings">
        <Icon name="warning" />
        Needs attention
      </h2>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </section>
  );

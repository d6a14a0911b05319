import { Icon } from "../ui/icon.tsx";

/** What somebody should look at; nothing where there is nothing. */
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

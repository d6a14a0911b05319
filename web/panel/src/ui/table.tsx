import type { ComponentChildren } from "preact";

interface TableProps {
  /** The table's caption for screen readers. */
  readonly label: string;
  /** The column headings, from left to right. */
  readonly headings: readonly string[];
  /** Number of text columns, from the left; numbers follow. */
  readonly textColumns: number;
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table that scrolls horizontally where it does not fit. */
export const Table = ({ label, headings, textColumns, children }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard.
  <section class="scroll" tabIndex={0} aria-label={label}>
    <table>
      <thead>
        <tr>
          {headings.map((heading, column) => (
            <th key={heading} scope="col" {...(column < textColumns ? {} : { class: "number" })}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);

import { styleText } from "node:util";

/** What a piece of text is, which decides how it looks. */
export type Role = "title" | "term" | "error" | "warning" | "success" | "aside";

/** Makes text look like what it is. */
export type Style = (role: Role, text: string) => string;

/** Colours and weights of the 16 that every terminal with colours has. */
const looks = {
  title: "bold",
  term: "cyan",
  error: "red",
  warning: "yellow",
  success: "green",
  aside: "dim",
} as const satisfies Readonly<Record<Role, Parameters<typeof styleText>[0]>>;

/** A style for an output that shows colours, or one that leaves text as it is. */
export const styleFor = (hasColours: boolean): Style =>
  hasColours
    ? // The caller has looked at the output already.
      (role, text) => styleText(looks[role], text, { validateStream: false })
    : (_role, text) => text;

/** Emphasizes the lines of a report that begin a section: `Title:` from the first column. */
export const withTitles = (report: string, style: Style): string =>
  report.replace(/^\S.*:$/gm, (line) => style("title", line));

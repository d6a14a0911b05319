import { styleText } from "node:util";

/** The role of a piece of text, which decides its style. */
export type Role = "title" | "term" | "error" | "warning" | "success" | "aside";

/** Styles text by its role. */
export type Style = (role: Role, text: string) => string;

/** Colours and weights of the 16 that every colour terminal has. */
const looks = {
  title: "bold",
  term: "cyan",
  error: "red",
  warning: "yellow",
  success: "green",
  aside: "dim",
} as const satisfies Readonly<Record<Role, Parameters<typeof styleText>[0]>>;

/** A style for an output with colours, or one that returns text unchanged. */
export const styleFor = (hasColours: boolean): Style =>
  hasColours
    ? // The caller has checked the output already.
      (role, text) => styleText(looks[role], text, { validateStream: false })
    : (_role, text) => text;

/** Emphasises the section headings of a report: `Title:` from the first column. */
export const withTitles = (report: string, style: Style): string =>
  report.replace(/^\S.*:$/gm, (line) => style("title", line));

import { STATUS_CODES } from "node:http";
import { escapeHtml } from "../../core/html.ts";
import { negotiate } from "./accept.ts";

/** The content of an error response. */
export interface Problem {
  readonly status: number;
  /** A short title of the problem; the status' own phrase where absent. */
  readonly title?: string;
  readonly message: string;
  readonly requestId: string;
  /** The faults of the request, where there are several. */
  readonly faults?: readonly string[];
  /** Only when stack traces are enabled. */
  readonly stack?: string;
}

/** A body and its media type. */
export interface RenderedPage {
  readonly contentType: string;
  readonly body: string;
}

/** The problem as text, HTML or JSON, whichever the Accept header prefers; text by default. */
export const errorPage = (problem: Problem, accept: string | undefined): RenderedPage => {
  switch (negotiate(accept, offers)) {
    case "text/html":
    case "application/xhtml+xml":
      return { contentType: "text/html; charset=utf-8", body: html(problem) };
    case "application/json":
    case "application/ld+json":
      return { contentType: "application/json; charset=utf-8", body: JSON.stringify(problem) };
    default:
      return { contentType: "text/plain; charset=utf-8", body: text(problem) };
  }
};

const offers = [
  "text/plain",
  "text/html",
  "application/xhtml+xml",
  "application/json",
  "application/ld+json",
] as const;

/** As in `404 Not Found`, or with another phrase. */
export const statusLine = (
  status: number,
  phrase: string = STATUS_CODES[status] ?? "Unknown",
): string => `${status} ${phrase}`;

const text = (problem: Problem): string => {
  const parts = [
    statusLine(problem.status, problem.title),
    problem.message,
    ...(problem.stack === undefined ? [] : [problem.stack]),
    `Request ${problem.requestId}`,
  ];
  return `${parts.join("\n\n")}\n`;
};

const html = (problem: Problem): string => {
  const title = escapeHtml(statusLine(problem.status, problem.title));
  const stack = problem.stack === undefined ? "" : `<pre>${escapeHtml(problem.stack)}</pre>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:45rem;margin:10vh auto;padding:0 1rem;overflow-wrap:break-word}pre{overflow:auto}small{opacity:.7}</style>
</head>
<body>
<h1>${title}</h1>
<p>${escapeHtml(problem.message)}</p>
${stack}<p><small>Request ${escapeHtml(problem.requestId)}</small></p>
</body>
</html>
`;
};

import { escapeHtml } from "../../core/html.ts";
import type { Version } from "../../iiif/version.ts";
import type { Exchange } from "../request/exchange.ts";

/** Answers `/iiif/N` with a page that describes the endpoint. */
export const versionPage = ({ address, reply }: Exchange, version: Version): void => {
  const base = escapeHtml(`${address.base}/iiif/${version.number}`);
  reply.type("text/html; charset=utf-8").send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>IIIF Image API ${version.number}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:45rem;margin:10vh auto;padding:0 1rem;overflow-wrap:break-word}</style>
</head>
<body>
<h1>IIIF Image API ${version.number}</h1>
<p>This is an endpoint for programs. They ask it for</p>
<ul>
<li><code>${base}/{identifier}/info.json</code>: what an image is like</li>
<li><code>${base}/{identifier}/{region}/{size}/{rotation}/{quality}.{format}</code>: its pixels</li>
</ul>
<p><a href="${escapeHtml(version.profile)}">${escapeHtml(version.profile)}</a></p>
</body>
</html>
`);
};

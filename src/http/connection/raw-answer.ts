import { errorCacheControl } from "./error-headers.ts";

/** A response for a connection without a valid request; `line` is as in `400 Bad Request`. */
export const rawAnswer = (line: string, fields = ""): string =>
  `HTTP/1.1 ${line}\r\nConnection: close\r\n${fields}Content-Type: text/plain; charset=utf-8\r\n` +
  `Access-Control-Allow-Origin: *\r\nCache-Control: ${errorCacheControl}\r\nContent-Length: ${line.length + 1}\r\n\r\n${line}\n`;

import { describe, expect, it } from "vitest";
import { ServerError } from "../../core/errors.ts";
import { escapeHtml } from "../../core/html.ts";
import { errorPage } from "./error-page.ts";
import { answerTo, messageFor } from "./errors.ts";

const problem = {
  status: 404,
  message: `There is no image '<img src=x onerror="alert(1)">' & none like it.`,
  requestId: "<1>",
  stack: "Error: <script>alert(1)</script>\n    at <anonymous>",
};

describe("an error page", () => {
  it.each(["text/html", "application/xhtml+xml"])(
    "contains no outside text that a browser would read as HTML: %s",
    (accept) => {
      const { contentType, body } = errorPage(problem, accept);
      expect(contentType).toBe("text/html; charset=utf-8");
      const withoutOwn = body.replace(
        /<\/?(?:!doctype|html|head|meta|title|style|body|h1|p|pre|small)\b[^<>]*>/g,
        "",
      );
      expect(withoutOwn).not.toMatch(/[<>]/);
      expect(body).toContain("&#60;script&#62;alert(1)");
    },
  );

  it("is plain text unless HTML is requested, and is never sniffed as anything else", () => {
    expect(errorPage(problem, undefined).contentType).toBe("text/plain; charset=utf-8");
    const json = errorPage(problem, "application/json");
    expect(json.contentType).toBe("application/json; charset=utf-8");
    expect(JSON.parse(json.body)).toEqual(problem);
  });

  it("has its own title where the status phrase would mislead", () => {
    const { title } = answerTo(new ServerError("unreadable", "The file is damaged."));
    const titled = { ...problem, status: 501, ...(title === undefined ? {} : { title }) };
    expect(errorPage(titled, undefined).body).toMatch(/^501 Image Cannot Be Read\n/);
    const html = errorPage(titled, "text/html").body;
    expect(html).toContain("<h1>501 Image Cannot Be Read</h1>");
    expect(html).not.toContain("Not Implemented");
    expect(JSON.parse(errorPage(titled, "application/json").body)).toEqual(titled);
  });

  it("escapes every character that could end an attribute", () => {
    expect(escapeHtml(`a"b'c<d>e&f`)).toBe("a&#34;b&#39;c&#60;d&#62;e&#38;f");
  });
});

describe("the message to a client", () => {
  it.each(["internal", "upstream", "aborted"] as const)(
    "omits failures that may contain paths and storage names: %s",
    (failure) => {
      const told = messageFor(new ServerError(failure, "bucket 'secret' at /etc/passwd"));
      expect(told).not.toMatch(/secret|passwd/);
      expect(told).toContain("log has details");
    },
  );

  it("omits errors that are not the server's own failures", () => {
    expect(messageFor(new Error("at /etc/passwd"))).not.toContain("passwd");
    expect(messageFor("at /etc/passwd")).not.toContain("passwd");
  });
});

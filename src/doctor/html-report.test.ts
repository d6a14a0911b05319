import { describe, expect, it } from "vitest";
import { htmlReport } from "./html-report.ts";
import { jsonReport, type Report, type ReportedObject } from "./json-report.ts";
import { Tally } from "./summary.ts";

const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'&.jpg`;

const object = (identifier: string, thumbnail = ""): ReportedObject => ({
  facts: { identifier, version: "1", bytes: 3, decoded: "all", format: "jpg", thumbnail },
  findings: [{ code: "unreadable", severity: "error", text: `${identifier} is broken` }],
});

const reportOf = (objects: readonly ReportedObject[], collection = "images"): Report => {
  const tally = new Tally({ pyramids: { isOn: true, minPixels: 1 } });
  for (const { facts, findings } of objects) tally.add(facts, findings);
  const made = new Date("2026-01-31T12:00:00Z");
  return { collection, made, quick: false, summary: tally.summary, advice: [{ text: hostile }] };
};

const joined = async (parts: AsyncIterable<string>): Promise<string> => {
  let text = "";
  for await (const part of parts) text += part;
  return text;
};

async function* iterated(objects: readonly ReportedObject[]): AsyncGenerator<ReportedObject> {
  yield* objects;
}

const rowsIn = (page: string): unknown[] =>
  JSON.parse(/id="rows">(.*?)<\/script>/s.exec(page)?.[1] ?? "") as unknown[];

describe("the HTML report", () => {
  it("escapes file names", async () => {
    const objects = [object(hostile)];
    const page = await joined(htmlReport(reportOf(objects, hostile), () => iterated(objects)));
    expect(page).not.toContain("<script>alert");
    expect(page).not.toContain("<img src=x");
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(rowsIn(page)).toMatchObject([{ id: hostile }]);
  });

  it("allows its own style and script only, by their hashes", async () => {
    const page = await joined(htmlReport(reportOf([]), () => iterated([])));
    expect(page).toMatch(
      /Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-[^']+'; script-src 'sha256-[^']+';/,
    );
    expect(page).not.toMatch(/(src|href)="?https?:/);
    expect(page).not.toMatch(/<[a-z]+ [^>]*\b(style|on\w+)="/);
  });

  it("limits the total size of thumbnails", async () => {
    const objects = Array.from({ length: 3_000 }, (_, at) =>
      object(`${at}.jpg`, "A".repeat(6_000)),
    );
    const page = await joined(htmlReport(reportOf(objects), () => iterated(objects)));
    expect(rowsIn(page)).toHaveLength(3_000);
    expect(page.length).toBeLessThan(9_500_000);
    expect(page.length).toBeGreaterThan(8_000_000);
  });
});

describe("the JSON report", () => {
  it("is one document with a version and one line per object", async () => {
    const objects = [object("a.jpg", "AAAA"), object("b.jpg")];
    const text = await joined(jsonReport(reportOf(objects), iterated(objects)));
    expect(JSON.parse(text)).toMatchObject({
      doctor: 1,
      made: "2026-01-31T12:00:00.000Z",
      summary: { images: 2, findings: { unreadable: 2 } },
      objects: [{ identifier: "a.jpg", format: "jpg" }, { identifier: "b.jpg" }],
    });
    expect(text).not.toContain("thumbnail");
    expect(text.trimEnd().split("\n")).toHaveLength(4);
    expect(JSON.parse(await joined(jsonReport(reportOf([]), iterated([]))))).toMatchObject({
      objects: [],
    });
  });
});

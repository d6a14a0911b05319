import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { progressOn, timeText } from "./progress.ts";
import { styleFor } from "./style.ts";

/** A terminal that records its output, and a clock that the test sets. */
const watched = (errColumns: number | undefined, name = "a.tif") => {
  let [text, clock] = ["", 0];
  const progress = progressOn(
    {
      err: (written) => {
        text += written;
      },
      errStyle: styleFor(false),
      errColumns,
    },
    { name, now: () => clock },
  );
  return {
    progress,
    text: () => text,
    at: (ms: number) => {
      clock = ms;
    },
  };
};

/** The final state of a line that redraws itself. */
const shown = (text: string): string =>
  stripVTControlCharacters(text.slice(text.lastIndexOf("\r") + 1));

it("in a file, each tenth is a line with the rate and the remaining time", () => {
  const { progress, text, at } = watched(undefined);
  progress.at({ share: 0 });
  for (let percent = 1; percent <= 100; percent++) {
    at(percent * 200);
    progress.at({ share: percent / 100, pixels: percent * 1e6 });
  }
  progress.end();
  const lines = text().split("\n");
  expect(lines).toHaveLength(12);
  expect(lines[0]).toBe("a.tif  0 %");
  expect(lines[5]).toBe("a.tif  50 %  5.0 MP/s  0:10 left");
  expect(lines[10]).toBe("a.tif  100 %");
});

it("on a terminal, a bar redraws within its columns and is removed at the end", () => {
  for (const columns of [20, 40, 80, 200]) {
    const { progress, text, at } = watched(columns, "a/folder/with/a/long/name/and/more/of/it.tif");
    at(30_000);
    progress.at({ share: 0.25, pixels: 30e6, count: "3/12 files" });
    const line = shown(text());
    expect(line.length).toBeLessThan(Math.min(columns, 80));
    if (columns < 80) continue;
    expect(line).toMatch(/^….*it\.tif █+░+ {2}3\/12 files {3}25 % {2}1\.0 MP\/s {2}1:30 left$/);
    progress.end();
    expect(shown(text())).toBe("");
  }
});

it("a note is printed above the bar, which stays", () => {
  const { progress, text } = watched(80);
  progress.at({ share: 0.5 });
  progress.note("b.tif: damaged");
  const [, note, bar] =
    /\r\S*(b\.tif: damaged)\n(.*)$/s.exec(stripVTControlCharacters(text())) ?? [];
  expect(note).toBe("b.tif: damaged");
  expect(bar).toMatch(/^a\.tif █+░+ {3}50 %$/);
});

it.each([
  [900, "0:01"],
  [61_000, "1:01"],
  [3_723_000, "1:02:03"],
])("%i ms are formatted as %s", (ms, text) => {
  expect(timeText(ms)).toBe(text);
});

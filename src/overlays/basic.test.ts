import { describe, expect, it } from "vitest";
import { overlay } from "../delegate/overlay.ts";
import { overlayFaults } from "./basic.ts";
import { markupOf } from "./text-mask.ts";

const basic = "overlays.BasicStrategy.";
const faultsOf = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  overlayFaults({ values, names: [], variables: [] }).map(({ key }) => key);
const on = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries({ enabled: true, ...values }).map(([key, value]) => [basic + key, value]),
  );

describe("the configuration of overlays", () => {
  it.each([
    [{ type: "image", image: "a.png", position: "repeat" }, []],
    [{ type: "string", string: "a", position: "center" }, []],
    [{ enabled: false, position: "nowhere" }, []],
    [{ position: "center" }, ["type"]],
    [{ type: "image", position: "center" }, ["image"]],
    [{ type: "string", position: "center" }, ["string"]],
    [{ type: "image", image: "a.png" }, ["position"]],
    [{ type: "image", image: "a.png", position: "nowhere" }, ["position"]],
    [{ type: "string", string: "a", position: "scaled" }, ["position"]],
    [{ type: "string", string: "a".repeat(2_001), position: "center" }, ["string"]],
  ])("with %o lacks %o", (values, keys) => {
    expect(faultsOf(on(values))).toEqual(keys.map((key) => basic + key));
  });

  it("requires a delegate for ScriptStrategy", () => {
    const values = { "overlays.strategy": "ScriptStrategy" };
    expect(faultsOf(values)).toEqual(["overlays.strategy"]);
    expect(faultsOf({ ...values, "delegate_script.enabled": true })).toEqual([]);
  });
});

describe("the delegate's result of overlay", () => {
  it.each([null, undefined, {}])("means no overlay: %o", (answer) => {
    expect(overlay.read(answer)).toBe(null);
  });

  it("is an image, or text with defaults for the rest", () => {
    expect(overlay.read({ image: "a.png", position: "SCALED", inset: 3, string: "b" })).toEqual({
      kind: "image",
      image: "a.png",
      position: "scaled",
      inset: 3,
    });
    expect(overlay.read({ string: "b", position: "top_left", font_size: 30 })).toMatchObject({
      kind: "string",
      fontSize: 30,
      color: "white",
      backgroundColor: "transparent",
      wordWrap: false,
    });
  });

  it.each([
    "top left",
    true,
    [],
    { position: "center" },
    { image: "", position: "center" },
    { image: "a.png" },
    { image: "a.png", position: "nowhere" },
    { image: "a.png", position: "center", inset: -1 },
    { image: "a.png", position: "center", inset: 0.5 },
    { string: " ", position: "center" },
    { string: "a", position: "repeat" },
    { string: "a".repeat(2_001), position: "center" },
    { string: "a", position: "center", font_size: 0 },
    { string: "a", position: "center", font_size: "24" },
    { string: "a", position: "center", font_size: Number.NaN },
    { string: "a", position: "center", stroke_width: 21 },
    { string: "a", position: "center", color: "no colour" },
    { string: "a", position: "center", word_wrap: "yes" },
  ])("must not be %o", (answer) => {
    expect(overlay.read(answer)).toBeUndefined();
  });
});

it("text never contains markup", () => {
  const look = { fontWeight: 2, glyphSpacing: 0.5, size: 10 };
  expect(
    markupOf({ ...look, string: `</span><b a='1'>&amp;\\nx\u0000\ud800`, font: `"><i>` }),
  ).toBe(
    '<span font_family="&quot;&gt;&lt;i&gt;" size="10240" weight="700" letter_spacing="5120">&lt;/span&gt;&lt;b a=&apos;1&apos;&gt;&amp;amp;\nx\ufffd\ufffd</span>',
  );
});

import { pdfOf, streamOf } from "../pdf.ts";

/** Points each way of the page, and from one piece of its pattern to the next. */
const side = 5_000;
const step = 0.001;

/**
 * A PDF document of some hundred bytes that renders for longer than anybody would wait, in little
 * memory: a pattern of 25 million million pieces.
 */
export const slowPdf = (colour = "1 0 0"): Buffer =>
  pdfOf(
    [
      {
        box: [0, 0, side, side],
        entries: "/Resources<</Pattern<</P 3 0 R>>>>",
        content: `/Pattern cs /P scn 0 0 ${side} ${side} re f`,
      },
    ],
    {
      objects: [
        streamOf(
          `${colour} rg 0 0 1 1 re f`,
          `/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep ${step}/YStep ${step}/Resources<<>>`,
        ),
      ],
    },
  );

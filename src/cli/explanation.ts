import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { masked } from "../config/masked.ts";
import type { FormatName } from "../core/formats.ts";
import { type Rect, type Size, upright } from "../core/geometry.ts";
import type { Colour } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { Traffic } from "../core/source.ts";
import { type StageTimes, thousandths } from "../core/timings.ts";
import type { Explanation } from "../service/explain.ts";
import type { KnownImage } from "../service/known.ts";
import { type Prepared, renderedFor } from "../service/prepared.ts";
import type { RecordedRead } from "./request-recorder.ts";

/** The explanation of a request; `vitrine explain --json` prints it as it is. */
export interface Explained {
  readonly url: string;
  readonly answer: {
    readonly status: number;
    readonly type?: string;
    readonly etag?: string;
    readonly lastModified?: string;
    /** Target of a redirect. */
    readonly location?: string;
    /** The fault of the request. */
    readonly message?: string;
  };
  readonly image?: {
    readonly identifier?: string;
    readonly source: {
      /** The file that is read; of a remote image its copy, where there is one. */
      readonly path?: string;
      /** Location of the image, without credentials; absent where the source does not say. */
      readonly place?: string;
      /**
       * Requests to remote servers for the image's info; absent where the source is local, or where
       * there are `runs`.
       */
      readonly requested?: Traffic;
      readonly bytes: number;
      readonly version: string;
      readonly lastModified?: string;
    };
    readonly format: FormatName;
    readonly pages: number;
  };
  /** The page of the image, counted from 1. */
  readonly page?: { readonly number: number; readonly size: Size; readonly colour: Colour };
  readonly plan?: Plan;
  /** The derivative's cache key. */
  readonly key?: string;
  readonly way?: Explanation["way"];
  readonly notStored?: string;
  readonly notRecoded?: string;
  readonly notScaled?: string;
  /** What is read; levels count from 1, full size first. */
  readonly reading?: {
    readonly level: number;
    readonly levels: number;
    readonly size: Size;
    readonly tile: Size;
    readonly region: Rect;
    readonly compression: string;
    readonly tiles: number;
    readonly blocks?: number;
    readonly bytes: number;
  };
  readonly cost?: Explanation["cost"];
  /** The pyramid that is made of the page where zooming into it is slow. */
  readonly pyramid?: Explanation["pyramid"];
  /** Two runs: the first one, and a repetition. */
  readonly runs?: readonly ExplainedRun[];
}

/** The course of a request. */
export interface ExplainedRun {
  readonly status: number;
  readonly bytes: number;
  readonly milliseconds: number;
  readonly stages: StageTimes;
  /** Of the source. */
  readonly read: RecordedRead;
}

/** The inputs of an explanation. */
export interface Findings {
  readonly url: string;
  readonly answer: {
    readonly statusCode: number;
    readonly headers: IncomingHttpHeaders | OutgoingHttpHeaders;
    readonly body: string;
  };
  readonly identifier: string | undefined;
  readonly known: KnownImage | undefined;
  readonly prepared: Prepared | undefined;
  readonly explanation: Explanation | undefined;
  readonly runs: readonly ExplainedRun[] | undefined;
  readonly requested: Traffic | undefined;
}

/** Assembles an explanation. */
export const explanationOf = (findings: Findings): Explained => {
  const { url, answer, identifier, known, prepared, explanation, runs, requested } = findings;
  const { place } = known?.object ?? {};
  return {
    url,
    answer: answerOf(answer),
    ...(known && {
      image: {
        ...(identifier === undefined ? {} : { identifier }),
        source: {
          ...(explanation?.path === undefined ? {} : { path: explanation.path }),
          ...(place === undefined ? {} : { place: masked(place) }),
          ...(requested ? { requested } : {}),
          bytes: known.object.size,
          version: known.version,
          ...(known.lastModified && { lastModified: known.lastModified.toISOString() }),
        },
        format: known.info.format,
        pages: known.info.pages.length,
      },
    }),
    ...(prepared && pictureOf(prepared)),
    ...(prepared && explanation && approachOf(prepared, explanation)),
    ...(runs && {
      runs: runs.map((run) => ({ ...run, milliseconds: thousandths(run.milliseconds) })),
    }),
  };
};

const answerOf = ({ statusCode, headers, body }: Findings["answer"]): Explained["answer"] => ({
  status: statusCode,
  ...text("type", headers["content-type"]),
  ...text("etag", headers.etag),
  ...text("lastModified", headers["last-modified"]),
  ...text("location", headers.location),
  ...(statusCode < 400 ? {} : { message: messageIn(body) }),
});

const text = <Name extends string>(
  name: Name,
  value: unknown,
): { readonly [name in Name]?: string } =>
  (value === undefined ? {} : { [name]: String(value) }) as { readonly [name in Name]?: string };

const messageIn = (body: string): string => {
  const problem: unknown = JSON.parse(body);
  return typeof problem === "object" && problem !== null && "message" in problem
    ? String(problem.message)
    : body;
};

const pictureOf = ({ plan, image, key }: Prepared): Pick<Explained, "page" | "plan" | "key"> => {
  const { size, orientation, colour } = image.info.pages[plan.page] ?? image.info.pages[0];
  return {
    page: {
      number: image.info.seconds === undefined ? plan.page + 1 : plan.page,
      size: upright(size, orientation),
      colour,
    },
    plan,
    key,
  };
};

const approachOf = (prepared: Prepared, explanation: Explanation): Partial<Explained> => {
  const { plan, image } = renderedFor(prepared);
  const { way, notStored, notRecoded, notScaled, reading, cost, pyramid } = explanation;
  const { levels } = image.info.pages[plan.page] ?? image.info.pages[0];
  const { size, tile } = levels[reading?.level ?? 0] ?? levels[0];
  return {
    way,
    ...(notStored === undefined ? {} : { notStored }),
    ...(notRecoded === undefined ? {} : { notRecoded }),
    ...(notScaled === undefined ? {} : { notScaled }),
    ...(reading && {
      reading: {
        level: reading.level + 1,
        levels: levels.length,
        size,
        tile,
        region: reading.region,
        compression: reading.compression,
        tiles: reading.tiles,
        ...(reading.blocks === undefined ? {} : { blocks: reading.blocks }),
        bytes: reading.bytes,
      },
    }),
    cost,
    ...(pyramid && { pyramid }),
  };
};

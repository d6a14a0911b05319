import type { MeasuredCache } from "../administration/serving-member.ts";
import type { Config } from "../config/store.ts";
import type { Admission } from "../core/admission.ts";
import { fail } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import type { Logger } from "../core/log.ts";
import type { Plan } from "../core/plan.ts";
import type { Source } from "../core/source.ts";
import type { Timings } from "../core/timings.ts";
import { decodedTiles } from "../formats/fast-jpeg/index.ts";
import { tileKeys } from "../formats/fast-jpeg/keys.ts";
import { createCodecs } from "../formats/index.ts";
import { decodedPixels } from "../formats/jpeg2000/file/index.ts";
import type { Resources } from "../formats/pool/index.ts";
import type { Codec, Sniff } from "../formats/shared/index.ts";
import { tiffStructures } from "../formats/tiff/index.ts";
import type { TiffStructureCache } from "../formats/tiff/structure/index.ts";
import { encodingKeys } from "../formats/write/keys.ts";
import { limitKeys } from "../iiif/limits.ts";
import { resolve } from "../iiif/resolve.ts";
import type { ServerPyramids } from "../pyramids/pyramids.ts";
import { costWithPyramid, gainOf } from "../pyramids/slow.ts";
import { wholePlan } from "../pyramids/whole-plan.ts";
import { explainPlan } from "../render/explain.ts";
import { overviewKeys, renderKeys } from "../render/keys.ts";
import { perFormat, renderOptions } from "../render/options.ts";
import { type PlanTools, toolsOf } from "../render/tools.ts";
import { type BackgroundPurges, createBackgroundPurges } from "../service/background-purges.ts";
import type { Derivatives } from "../service/caching.ts";
import { cachingKeys } from "../service/caching-keys.ts";
import { createEstimate } from "../service/estimate.ts";
import { createExplain, type Explain } from "../service/explain.ts";
import { createImages, type Images } from "../service/images.ts";
import { infoKeys } from "../service/info-keys.ts";
import { infoPolicy } from "../service/info-policy.ts";
import { Infos } from "../service/infos.ts";
import type { KnownImage } from "../service/known.ts";
import { type OtherOverviews, Overviews } from "../service/overviews.ts";
import { createPagePyramids, type PagePyramids } from "../service/page-pyramids.ts";
import { createPreserved } from "../service/preserved.ts";
import { createPurging, type Purging } from "../service/purging.ts";
import type { Quarantine } from "../service/quarantine.ts";
import type { SourceCopies } from "../service/source-copies.ts";
import { storedInfos } from "../service/stored-infos.ts";
import type { CreatePyramids } from "./pyramids.ts";

/** The dependencies of serving images. */
export interface ImageDependencies {
  readonly resources: Resources;
  readonly source: Source;
  readonly sniff: Sniff;
  readonly derivatives: Derivatives | undefined;
  readonly copies: Pick<SourceCopies, "files">;
  readonly log: Logger;
  readonly admission: Admission;
  readonly quarantine: Quarantine;
  /** Of the server's other processes; absent: none. */
  readonly overviews?: OtherOverviews | undefined;
  /** Absent: no pyramids are made. */
  readonly createPyramids: CreatePyramids | undefined;
}

/** The image service and the parts of it that are monitored. */
export interface Assembled {
  readonly images: Images;
  readonly explain: Explain;
  readonly infos: Infos;
  readonly purging: Purging;
  readonly aside: BackgroundPurges;
  readonly structure: TiffStructureCache;
  readonly tiles: DecodedImages;
  /** Absent: none are made. */
  readonly pyramids: ServerPyramids | undefined;
  readonly pagePyramids: PagePyramids | undefined;
}

/** Caches of decoded pixels in memory. */
export interface DecodedImages extends MeasuredCache {
  /** Clears them. */
  clear(): void;
}

interface CodecsInUse {
  /** Reads the source. */
  readonly decoding: Codec;
  /** Writes the derivative. */
  readonly encoding: Codec;
  readonly timings: Timings | undefined;
}

/** Assembles the image service. */
export const assembleImages = (
  config: Config,
  {
    source,
    sniff,
    derivatives,
    copies,
    log,
    admission,
    quarantine,
    resources,
    overviews: others,
    createPyramids,
  }: ImageDependencies,
): Assembled => {
  const codecs = createCodecs(resources);
  const ready = new Map<FormatName, Codec>();
  const codecOf = async (format: FormatName): Promise<Codec> => {
    const codec = await codecs(format);
    ready.set(format, codec);
    return codec;
  };
  const caching = config.view({ ...cachingKeys, ...infoKeys });
  const limits = config.view(limitKeys);
  const rendering = config.view({ ...renderKeys, ...encodingKeys, ...tileKeys });
  const optionsFor = perFormat(rendering, (settings, format) => ({
    ...renderOptions(settings, format),
    stored: settings["processor.stored_tiles"],
    whole: settings["processor.whole_files"] === "unchanged",
    direct: settings["processor.direct_tiles"],
  }));
  const cost = createEstimate(config, admission);
  const overviews = new Overviews(
    config.view(overviewKeys)()["cache.server.overviews.target_size"],
    others,
  );
  const pyramids = createPyramids?.({
    ...{ cost, overviews },
    decoder: async () =>
      (await codecOf("tif")).decoder ?? fail("internal", "There is no decoder of TIFF."),
    image: (identifier, signal) => infos.get({ requestId: "none", identifier, signal }, "use"),
  });
  const explain = createExplain({
    approach: async (plan, reader, info, signal) =>
      explainPlan(plan, reader, info, await codecOf(info.format), signal),
    admission,
    cost,
    costWithPyramid,
    ...(pyramids ? { pyramidState: pyramids.stateOf } : {}),
  });
  const pagePyramids =
    pyramids &&
    createPagePyramids({
      planFor: (identifier, image, page) => wholePlan(config, identifier, image, page),
      stateOf: pyramids.stateOf,
      gain: (plan, page, image) => gainOf(plan, page, (probe) => cost(probe, image)),
    });
  const infos = new Infos({
    source: () => source,
    sniff,
    codec: codecOf,
    ...infoPolicy(caching),
    maxBytes: caching()["cache.server.info.target_size"],
    quarantine,
    ...(derivatives?.back ? { kept: storedInfos(derivatives.cache) } : {}),
    onMissing(identifier) {
      if (caching()["cache.server.purge_missing"]) aside.missing(identifier);
    },
  });
  const purging = createPurging({
    infos,
    pyramids,
    cache: derivatives?.cache,
    shared: derivatives?.back,
    copies: copies.files,
  });
  const aside = createBackgroundPurges(purging, log);
  derivatives?.back?.purges.onPurge(aside.follow);
  const preservedOf = createPreserved();
  const toolsFor = (
    plan: Plan,
    image: KnownImage,
    { decoding, encoding, timings }: CodecsInUse,
  ): PlanTools => {
    const { info, object: file } = image;
    const { decoder } = decoding;
    const { encoder } = encoding;
    const preserved = plan.preserve ? preservedOf(plan.identifier, image) : undefined;
    return toolsOf(plan, { info, file, decoder, encoder, timings, preserved });
  };
  const images = createImages({
    infos,
    resolve: (request, info) => resolve(request, info, limits()),
    renderOptions: ({ format }) => optionsFor(format),
    means: {
      ready(plan, image, timings) {
        const decoding = ready.get(image.info.format);
        const encoding = ready.get(plan.format);
        return decoding && encoding && toolsFor(plan, image, { decoding, encoding, timings });
      },
      async load(plan, image, timings) {
        const decoding = await codecOf(image.info.format);
        const encoding = await codecOf(plan.format);
        return toolsFor(plan, image, { decoding, encoding, timings });
      },
    },
    admission,
    quarantine,
    cost,
    overviews,
    ...(pyramids ? { pyramids } : {}),
    ...(derivatives
      ? {
          derivatives: derivatives.cache,
          isFar: derivatives.back !== undefined,
          isSharedWork: () => caching()["cache.server.derivative.lock"],
        }
      : {}),
  });
  const structure = resources.get(tiffStructures);
  const decoded = resources.get(decodedTiles);
  const pixels = resources.get(decodedPixels);
  const tiles = together(...(decoded ? [decoded] : []), pixels, overviews);
  return { images, explain, infos, purging, aside, structure, tiles, pyramids, pagePyramids };
};

/** Several caches, reported as one. */
const together = (...caches: readonly DecodedImages[]): DecodedImages => ({
  get bytes() {
    return sum(caches.map(({ bytes }) => bytes));
  },
  maxBytes: sum(caches.map(({ maxBytes }) => maxBytes)),
  get tally() {
    const tallies = caches.map(({ tally }) => tally);
    return {
      hits: sum(tallies.map(({ hits }) => hits)),
      misses: sum(tallies.map(({ misses }) => misses)),
    };
  },
  clear() {
    for (const cache of caches) cache.clear();
  },
});

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

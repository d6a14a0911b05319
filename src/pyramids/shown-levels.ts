import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../core/log.ts";
import type { Plan } from "../core/plan.ts";
import type { FindReduced } from "../formats/write/pyramid/index.ts";
import { levelOverviewKey } from "../render/overview.ts";
import type { Overviews } from "../service/overviews.ts";
import type { PyramidJob } from "./job.ts";

/** What levels are looked for with. */
export interface ShownLevelsDeps {
  readonly overviews: Pick<Overviews, "look">;
  /** The plan for a job's page, as tiles of it are requested. */
  readonly planOf: (job: Pick<PyramidJob, "image" | "page" | "facts">) => Plan;
  readonly log: Logger;
}

/** Milliseconds that an overview is waited for: one that is being made is needed for requests. */
const maxWaitMs = 5_000;

/**
 * Finds levels of a page in the overviews that tiles were cut from lately, and puts them into a
 * folder. Made from these, a pyramid has exactly the pixels that viewers have seen; scaled from the
 * level before, as all others are, a level differs slightly from an overview, which is scaled from
 * the page.
 */
export const shownLevels =
  (
    job: Pick<PyramidJob, "image" | "page" | "facts">,
    { overviews, planOf, log }: ShownLevelsDeps,
    { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
  ): FindReduced =>
  async (size) => {
    const { facts, image, page } = job;
    try {
      const key = levelOverviewKey(planOf(job), page, size);
      if (key === undefined) return undefined;
      const wanted = { identifier: facts.identifier, version: image.version, key };
      const both = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
      const overview = await overviews.look(wanted, both);
      if (overview === undefined) return undefined;
      const path = join(folder, `level-${size.width}x${size.height}.tif`);
      await writeFile(path, overview.pixels, { mode: 0o600, signal: both });
      return { path, orientation: page.orientation };
    } catch (err) {
      log.debug("An overview cannot be used for a pyramid; its level is scaled instead.", { err });
      return undefined;
    }
  };

import type { Config } from "../config/store.ts";
import { upright } from "../core/geometry.ts";
import { pageOf } from "../core/info.ts";
import { type Plan, planOf, type ResolvedRequest } from "../core/plan.ts";
import { encodingKeys } from "../formats/write/keys.ts";
import { renderKeys } from "../render/keys.ts";
import { renderOptions } from "../render/options.ts";
import type { KnownImage } from "../service/known.ts";

/** A plan for the whole page, counted from 0, at full size. */
export const wholePlan = (
  config: Config,
  identifier: string,
  image: KnownImage,
  index: number,
): Plan => {
  const page = pageOf(image.info, index) ?? image.info.pages[0];
  const size = upright(page.size, page.orientation);
  const wanted: ResolvedRequest = {
    ...{ identifier, page: index, orientation: page.orientation, size },
    ...{ crop: { x: 0, y: 0, ...size }, mirror: false, rotation: 0 },
    ...{ quality: "default", format: "jpg" },
  };
  const settings = config.view({ ...renderKeys, ...encodingKeys })();
  return planOf(wanted, renderOptions(settings, wanted.format), image.version);
};

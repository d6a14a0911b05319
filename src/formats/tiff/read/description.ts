import type { Colour, Page } from "../../../core/info.ts";
import type { Steps } from "../../../core/steps.ts";
import { profileOf } from "../../containers/index.ts";
import { orientationInXmp, orientationOf } from "../../shared/index.ts";
import {
  colourSamples,
  hasAlpha,
  photometrics,
  readBytes,
  readNumbers,
  type StoredLevel,
  type StoredPage,
  type TiffFile,
  tags,
} from "../structure/index.ts";
import { isDecodedHere } from "./cut.ts";
import { needsRewriting } from "./rewrite.ts";

const largestProfile = 16_777_216;
const largestXmp = 1_048_576;

/** The description of a page before decoding; reads its profile and XMP, up to 16 MB and 1 MB. */
export function* describePage(file: TiffFile, page: StoredPage): Steps<Page> {
  const [full, ...smaller] = page;
  const { entries } = full.directory;
  const stored = entries.get(tags.orientation);
  const xmp = entries.get(tags.xmp);
  const icc = entries.get(tags.iccProfile);
  const orientation =
    stored === undefined
      ? orientationInXmp(xmp === undefined ? xmp : yield* readBytes(file, xmp, largestXmp))
      : orientationOf((yield* readNumbers(file, stored, { to: 1 }))[0]);
  const model = modelOf(full);
  const profile = icc === undefined ? icc : yield* readBytes(file, icc, largestProfile);
  return {
    size: full.size,
    orientation,
    levels: [asLevel(full), ...smaller.map(asLevel)],
    colour: {
      bits: full.bits,
      model,
      alpha: hasAlpha(full),
      profile: profileOf(profile, model),
    },
    ...((needsRewriting(full) || isDecodedHere(full)) && { isUnpacked: true }),
  };
}

const asLevel = ({ size, tile }: StoredLevel): Page["levels"][number] => ({ size, tile });

const modelOf = (level: StoredLevel): Colour["model"] => {
  switch (level.photometric) {
    case photometrics.whiteIsZero:
    case photometrics.blackIsZero:
    case photometrics.mask:
      return "grey";
    case photometrics.rgb:
    case photometrics.palette:
    case photometrics.yCbCr:
      return "rgb";
    case photometrics.separated:
      return colourSamples(level) === 4 ? "cmyk" : "other";
    case photometrics.cieLab:
    case photometrics.iccLab:
      return "lab";
    default:
      return "other";
  }
};

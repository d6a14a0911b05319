import { av1Of, type Coded, hevcPictures } from "./coded.ts";
import type { HeifItem } from "./file.ts";

/** Images of 64 x 64: three of one colour each, and three whose luma is an opacity. */
export interface Pictures {
  readonly red: Coded;
  readonly lime: Coded;
  readonly blue: Coded;
  readonly opacities: readonly [Coded, Coded, Coded];
  /** The values of the opacities. */
  readonly values: readonly [number, number, number];
}

export const pictures = {
  avif: async (): Promise<Pictures> => ({
    red: await av1Of([255, 0, 0]),
    lime: await av1Of([0, 255, 0]),
    blue: await av1Of([0, 0, 255]),
    opacities: [await av1Of(255), await av1Of(128), await av1Of(20)],
    values: [255, 128, 20],
  }),
  // Of any image, the luma is the opacity.
  heic: async (): Promise<Pictures> => {
    const { red, lime, blue } = hevcPictures;
    return { ...hevcPictures, opacities: [lime, red, blue], values: [150, 76, 29] };
  },
};

/** Brands of files with still images, with an additional sequence, and with only a sequence. */
export const brands = {
  avif: {
    still: ["avif", "mif1", "miaf"],
    both: ["avis", "avif", "msf1"],
    frames: ["avis", "msf1"],
  },
  heic: { still: ["heic", "mif1"], both: ["hevc", "msf1", "heic"], frames: ["msf1", "hevc"] },
} as const;

export const red = [255, 0, 0];
export const lime = [0, 255, 0];
export const blue = [0, 0, 255];

/** The size of each. */
export const whole = { width: 64, height: 64 };

/** An item that is not a page. */
export const hidden = (item: HeifItem): HeifItem => ({ ...item, hidden: true });

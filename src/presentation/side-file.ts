import type { Behavior, Description, ViewingDirection } from "./views.ts";

/** The entry of a page in a side file. */
export interface PageEntry extends Description {
  /** Counted from 1. */
  readonly page: number;
}

/** The entry of an image in a side file. */
export interface ImageEntry extends Description {
  /** Set if the image is omitted from the folder's manifest and collection. */
  readonly hide?: true;
  readonly behavior?: Behavior;
  readonly viewingDirection?: ViewingDirection;
  /** The pages to show, in this order; absent for all of them. */
  readonly pages?: readonly PageEntry[];
}

/** The content of a side file: its folder and the images directly in it. */
export interface SideFile extends Description {
  readonly behavior?: Behavior;
  readonly viewingDirection?: ViewingDirection;
  /** Names of images that come first, in this order; the others follow, sorted by name. */
  readonly order?: readonly string[];
  /** By name, the last part of the identifier. */
  readonly images?: ReadonlyMap<string, ImageEntry>;
}

/** Names of side files; if a folder has several, the first of these is used. */
export const sideFileNames = ["manifest.yml", "manifest.yaml", "manifest.json"] as const;

/** Maximum size of a side file in bytes. */
export const maxSideFileBytes = 262_144;

/** Objects with names, in the order of a side file, without those that it hides. */
export const arranged = <T extends { readonly name: string }>(
  objects: readonly T[],
  { order = [], images }: SideFile,
): readonly T[] => {
  const places = new Map(order.map((name, place) => [name, place]));
  const placeOf = ({ name }: T): number => places.get(name) ?? order.length;
  return objects
    .filter(({ name }) => !images?.get(name)?.hide)
    .sort((one, other) => placeOf(one) - placeOf(other));
};

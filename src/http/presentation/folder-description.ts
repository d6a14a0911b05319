import type { Settings } from "../../config/keys.ts";
import { configuredDescription, type presentationKeys } from "../../presentation/keys.ts";
import type { SideFile } from "../../presentation/side-file.ts";
import { english, unspecified } from "../../presentation/texts.ts";
import type { Labelled } from "../../presentation/views.ts";
import { placeOf } from "./described.ts";

/** The description of a folder, from the configuration, its name and its side file. */
export const describedFolder = (
  folder: string,
  file: SideFile,
  settings: Settings<typeof presentationKeys>,
): Labelled => {
  const { behavior: _, viewingDirection: __, order: ___, images: ____, ...said } = file;
  return {
    ...configuredDescription(settings),
    label: folder === "" ? english("Images") : unspecified(placeOf(folder).name),
    ...said,
  };
};

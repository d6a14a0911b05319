import { keyGroups } from "../app/keys.ts";
import type { Environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import type { ConfigurationProblem } from "../config/problems.ts";
import { type Availability, availability } from "../formats/availability.ts";
import { formatOfExtension } from "../formats/registry.ts";
import { lackText } from "../formats/shared/index.ts";
import { videoKeys } from "../formats/video/keys.ts";
import { limitKeys } from "../iiif/limits.ts";
import { lackLines } from "./formats-report.ts";

/** Configured formats that are unavailable here, and formats that are unavailable in any case. */
export interface FormatCheck {
  readonly warnings: readonly ConfigurationProblem[];
  /** Whole sentences. */
  readonly unavailable: readonly string[];
}

/** Compares the formats that a configuration file uses with those available on this machine. */
export const checkFormats = async (path: string, env: Environment): Promise<FormatCheck> => {
  const loaded = await loadConfig({ groups: keyGroups, env, path });
  try {
    const settings = loaded.config.view({ ...videoKeys, ...limitKeys });
    const found = await availability(loaded.config);
    return {
      warnings: [
        ...lostPrograms(settings()["FfmpegProcessor.path_to_binaries"], found),
        ...settings()["endpoint.iiif.preferred_formats"].flatMap((name) => unwritten(name, found)),
      ],
      // Disabled deliberately.
      unavailable: lackLines(found.filter(({ read }) => read.lacks?.kind !== "key")),
    };
  } finally {
    await loaded.close();
  }
};

const lostPrograms = (
  folder: string,
  found: readonly Availability[],
): readonly ConfigurationProblem[] => {
  const lacks = found.find(({ read }) => read.lacks?.kind === "program")?.read.lacks;
  if (folder === "" || lacks === undefined) return [];
  const key = "FfmpegProcessor.path_to_binaries";
  const message = `${key}: expected the folder of ffmpeg and ffprobe, but ${lackText(lacks)} there.`;
  return [{ severity: "warning", key, message }];
};

const unwritten = (
  name: string,
  found: readonly Availability[],
): readonly ConfigurationProblem[] => {
  const format = formatOfExtension(name);
  const write = found.find((one) => one.format === format)?.write;
  if (write?.available) return [];
  const key = "endpoint.iiif.preferred_formats";
  const why = write?.lacks ? `; ${lackText(write.lacks)}` : "";
  const message = `${key}: expected formats that can be written here, got '${name}'${why}.`;
  return [{ severity: "warning", key, message }];
};

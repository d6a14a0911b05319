import { count, plural } from "../format/numbers.ts";
import type { Task } from "../server/wire.ts";
import { isMaking } from "./verbs.ts";

/** The result of a task so far, such as `3 entries removed`; empty if it has not started. */
export const resultText = ({
  verb,
  status,
  removed,
  pyramids,
}: Pick<Task, "verb" | "status" | "removed" | "pyramids">): string => {
  if (status === "QUEUED" || (isMaking(verb) && pyramids === undefined)) return "";
  if (pyramids === undefined) return `${plural(removed.entries, "entry", "entries")} removed`;
  const { images, of, made, ready, unneeded, refused, failed } = pyramids;
  const parts = [
    `${count(made)} made`,
    ready > 0 ? `${count(ready)} made before` : "",
    unneeded > 0 ? `${count(unneeded)} not needed` : "",
    refused > 0 ? `${count(refused)} refused` : "",
    failed > 0 ? `${plural(failed, "file")} not readable as an image` : "",
  ].filter((part) => part !== "");
  const gone =
    of === undefined ? plural(images, "image") : `${count(images)} of ${plural(of, "image")}`;
  return `${gone}: ${parts.join(", ")}`;
};

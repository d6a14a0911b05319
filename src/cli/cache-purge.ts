import { Command } from "@commander-js/extra-typings";
import type { PurgeScope } from "../caches/purge-record.ts";
import { type Derivatives, purgesLookMs } from "../service/caching.ts";
import { cachingKeys } from "../service/caching-keys.ts";
import { createPurging, type Removed } from "../service/purging.ts";
import { createSourceCopies, type SourceCopies } from "../service/source-copies.ts";
import {
  type CommandContext,
  openDerivatives,
  stopwatch,
  unreachable,
  withConfig,
} from "./cache-opening.ts";
import { type Exit, type ExitCode, type Terminal, UsageError } from "./command.ts";
import { configOption } from "./options.ts";
import { countOf } from "./words.ts";

/** `vitrine cache purge`: removes cached data of some images, or of all. */
export const purgeCommand = (terminal: Terminal, exit: Exit) =>
  new Command("purge")
    .summary("remove cached data of some images, or of all")
    .description(
      "Remove cached data of some images, or of all. Takes one of --identifier, --images, --infos and --all.",
    )
    .option(
      "-i, --identifier <id>",
      "everything of this image; may be given several times",
      (id: string, before: readonly string[] = []) => [...before, id],
    )
    .option("--images", "all finished images")
    .option("--infos", "everything known about images (for info.json)")
    .option("--all", "everything")
    .addOption(configOption())
    .action(async ({ config, ...choice }) => {
      const scopes = scopesOf(choice);
      exit(await purge(scopes, config, terminal));
    });

const purge = (
  scopes: readonly Chosen[],
  config: string | undefined,
  terminal: Terminal,
): Promise<ExitCode> =>
  withConfig("cache purge", config, terminal, async (place, signal) => {
    const { derivatives, files, isInMemory } = await open(place);
    const purges = derivatives?.back?.purges;
    const begun = (await purges?.begin(scopes, signal)) ?? [];
    if (purges)
      terminal.err(
        `Servers that share ${derivatives?.kind} stop serving it within ${purgesLookMs / 1_000} seconds, even while it is still being removed.\n`,
      );
    const purging = createPurging({ cache: derivatives?.cache, copies: files });
    for (const scope of scopes) {
      const watch = stopwatch();
      const removed = await purging.remove(scope, signal);
      const what = removedText(removed, { of: scope, kind: derivatives?.kind, files });
      terminal.out(`Removed ${what} in ${watch()}.\n`);
    }
    await purges?.finish(begun, signal);
    if (isInMemory) terminal.err(`cache purge: ${unreachable}\n`);
    return isInMemory ? 1 : 0;
  });

type Chosen = Exclude<PurgeScope, "memory">;

interface Choice {
  readonly identifier?: readonly string[] | undefined;
  readonly images?: true | undefined;
  readonly infos?: true | undefined;
  readonly all?: true | undefined;
}

/** What to remove: nothing unless stated. */
const scopesOf = ({ identifier = [], images, infos, all }: Choice): readonly Chosen[] => {
  const chosen: readonly (readonly Chosen[])[] = [
    ...(identifier.length > 0 ? [identifier.map((image) => ({ image }))] : []),
    ...(images ? [["images"] as const] : []),
    ...(infos ? [["infos"] as const] : []),
    ...(all ? [["all"] as const] : []),
  ];
  const [scopes, ...others] = chosen;
  if (scopes === undefined || others.length > 0)
    throw new UsageError(
      `cache purge: expected --identifier ID, --images, --infos or --all, got ${scopes ? "more than one of them" : "none of them"}`,
    );
  return scopes;
};

interface OpenCaches {
  readonly derivatives: Derivatives | undefined;
  readonly files: SourceCopies["files"];
  /** Whether there is a cache that cannot be accessed. */
  readonly isInMemory: boolean;
}

/** Everything that can be purged; throws where there is nothing. */
const open = async (place: CommandContext): Promise<OpenCaches> => {
  const { config, log, closing } = place;
  const copies = await createSourceCopies(config, log);
  closing(() => copies.close());
  const { files } = copies;
  const settings = config.view(cachingKeys)();
  const isEnabled = settings["cache.server.derivative.enabled"];
  const kind = settings["cache.server.derivative"];
  const isInMemory = isEnabled && kind === "HeapCache";
  if (files && (!isEnabled || kind === "" || isInMemory))
    return { derivatives: undefined, files, isInMemory };
  return { derivatives: await openDerivatives(place), files, isInMemory };
};

/** For people: what was removed, and from where. */
const removedText = (
  { entries, copies }: Removed,
  {
    of,
    kind,
    files,
  }: Pick<OpenCaches, "files"> & {
    readonly of: Chosen;
    readonly kind: string | undefined;
  },
): string => {
  const what = typeof of === "object" ? `'${of.image}'` : wholes[of];
  const copied = `${countOf(copies, "copy", "copies")} of source files`;
  if (kind === undefined) return `${copied} of ${what}`;
  const kept = `${countOf(entries, "entry", "entries")} of ${what} from ${kind}`;
  return files === undefined ? kept : `${kept} and ${copied}`;
};

const wholes = {
  images: "all images",
  infos: "all infos",
  all: "everything",
} as const;

import { Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { Signatures } from "../access/signatures.ts";
import type { Config } from "../config/store.ts";
import { type Exit, type Terminal, UsageError } from "./command.ts";
import { byConfiguration } from "./configuration.ts";
import { configOption } from "./options.ts";

/** `vitrine sign URL`: signs the URL of an image. */
export const signCommand = (terminal: Terminal, exit: Exit) =>
  new Command("sign")
    .summary("sign the URL of an image")
    .description(
      "Sign the URL of an image with the first of access.signatures.keys, or its path from /iiif/ on, and print it.",
    )
    .argument("<url>", "URL of an image, info.json or, with --identifier, of all of an image")
    .option(
      "--expires <duration>",
      "how long it is valid: a number and s, m, h, d or y",
      duration,
      3_600,
    )
    .option(
      "--identifier",
      "sign for all of the image, in the path, so that viewers can use it; without it, for just this URL, in its query",
    )
    .addOption(configOption())
    .action(async (url, { expires, identifier = false, config }) => {
      const code = await byConfiguration(config, terminal, async (found) => {
        const until = Math.floor(Date.now() / 1_000) + expires;
        terminal.out(`${await signed(url, { config: found, until, wholeImage: identifier })}\n`);
        return 0;
      });
      exit(code);
    });

const units: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  y: 31_536_000,
};

/** Seconds. */
const duration = (text: string): number => {
  const [, count = "", unit = ""] = /^([1-9]\d{0,8})([smhdy])$/.exec(text) ?? [];
  const seconds = Number(count) * (units[unit] ?? Number.NaN);
  // As digits, the expiry is part of the URL.
  if (!(seconds <= 1_000 * (units["y"] ?? 0)))
    throw new InvalidArgumentError("Expected a number and s, m, h, d or y, such as 90m.");
  return seconds;
};

interface Signing {
  readonly config: Config;
  /** Seconds since 1970. */
  readonly until: number;
  readonly wholeImage: boolean;
}

const signed = async (url: string, { config, until, wholeImage }: Signing): Promise<string> => {
  const [{ readSignatures }, { signImage, signPath }] = await Promise.all([
    import("../access/signatures.ts"),
    import("./signed-url.ts"),
  ]);
  const { signatures } = readSignatures(config.current);
  if (signatures === undefined)
    throw new UsageError("sign: expected a key in access.signatures.keys, got none");
  const [, before = "", target = ""] =
    /^((?:https?:\/\/[^/?#]*)?(?:\/[^?#]*?)?)(\/iiif\/[123]\/[^#]+)$/.exec(url) ?? [];
  if (target === "")
    throw new UsageError(
      "sign: expected a URL with a path such as /iiif/3/{identifier}/info.json, and no fragment",
    );
  const parts: { readonly signatures: Signatures; readonly config: Config } = {
    signatures,
    config,
  };
  return before + (wholeImage ? signImage(target, until, parts) : signPath(target, until, parts));
};

import { withArticle } from "../../core/article.ts";
import { DecoderLost, ServerError } from "../../core/errors.ts";

/**
 * The server's error for one of the image library: `late` when time ran out, else `unreadable`. The
 * library's own message, which may name files, stays in the cause.
 */
export const readingFailed = (error: unknown, title: string): ServerError => {
  if (error instanceof ServerError) return error;
  const said = error instanceof Error ? error.message : "";
  if (/timeout/i.test(said))
    return new DecoderLost(
      new ServerError("late", `Reading the ${title} took too long.`, { cause: error }),
    );
  const reason =
    reasons.find(([pattern]) => pattern.test(said))?.[1] ?? "is corrupt or of an unsupported kind";
  return new ServerError(
    "unreadable",
    `Expected ${withArticle(title)} image; the file ${reason}.`,
    {
      cause: error,
    },
  );
};

const reasons: readonly (readonly [RegExp, string])[] = [
  [/premature end|truncated|unexpected end|not enough data|end of file|EOF/i, "ends too early"],
  [/exceeds (pixel|channel) limit/i, "was replaced since it was first read"],
  [/unsupported image format/i, "is not one that can be read"],
  [/not configured|unsupported|not supported/i, "uses a feature that cannot be read"],
];

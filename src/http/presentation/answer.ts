import type { MarkedSegment } from "../../access/signed-urls.ts";
import { fail, ServerError } from "../../core/errors.ts";
import { documentOf } from "../../service/documents.ts";
import { resolveName } from "../permission/identifier.ts";
import { isFresh } from "../request/conditional.ts";
import type { Exchange } from "../request/exchange.ts";
import { addVary } from "../request/headers.ts";
import { jsonType } from "../request/json-type.ts";
import { redirect } from "../request/redirects.ts";
import { Refused } from "../request/refusal.ts";
import { addServerTiming } from "../request/timing.ts";
import { folderCollection } from "./collection.ts";
import type { Made, PresentationDeps } from "./deps.ts";
import { type Destination, destinationOf } from "./destination.ts";
import { folderManifest } from "./folder-manifest.ts";
import { imageManifest } from "./image-manifest.ts";

/** Answers a GET or HEAD below `/presentation/N`; throws failures. */
export const answerPresentation = async (
  exchange: Exchange,
  deps: PresentationDeps,
): Promise<void> => {
  const destination = destinationOf(exchange, deps);
  if (destination.kind === "elsewhere") {
    exchange.reply.headers(deps.cacheHeaders(false));
    redirect(exchange, 301, destination.path);
    return;
  }
  const made = await deps.limiter.run(exchange.deadline.signal, () =>
    documentAt(destination, exchange, deps),
  );
  if (made !== "answered") send(made, exchange, deps);
};

const documentAt = (
  destination: Exclude<Destination, { kind: "elsewhere" }>,
  exchange: Exchange,
  deps: PresentationDeps,
): Promise<Made | "answered"> => {
  const { kind, folder } = destination;
  if (kind === "collection") return folderCollection(exchange, folder, deps);
  return manifestAt(destination.marked, folder, exchange, deps);
};

/** The manifest of an image, or of a folder if the image does not exist. */
const manifestAt = async (
  marked: MarkedSegment,
  folder: string,
  exchange: Exchange,
  deps: PresentationDeps,
): Promise<Made | "answered"> => {
  try {
    const query = { page: undefined, caching: "use" } as const;
    const named = await resolveName(exchange, marked, query, deps);
    return named === "answered" ? named : await imageManifest(exchange, named, marked, deps);
  } catch (error) {
    const mayBeFolder =
      error instanceof Refused || (error instanceof ServerError && error.failure === "missing");
    if (!mayBeFolder || marked.mark !== "" || !deps.folders.isListable) throw error;
    // A failure of the folder must not reveal more than that the name is missing.
    return folderManifest(exchange, folder, deps).catch((reason: unknown) => {
      const isNone =
        reason instanceof ServerError && ["missing", "unimplemented"].includes(reason.failure);
      throw isNone ? error : reason;
    });
  }
};

/**
 * Documents change with the contents of their folders, so caches must revalidate them by ETag.
 */
const send = (
  { json, dependence }: Made,
  exchange: Exchange,
  { presentation, documentCacheHeaders }: PresentationDeps,
): void => {
  const { request, reply } = exchange;
  const type = jsonType(presentation, request.headers.accept);
  const { body, digest } = documentOf(type, JSON.stringify(json));
  const validators = { etag: `"${digest}"` };
  reply.header("etag", validators.etag);
  reply.headers(documentCacheHeaders(false, { ...dependence, seconds: 0 }));
  addVary(reply, true, dependence);
  addServerTiming(exchange);
  if (isFresh(request.headers, validators)) reply.code(304).send();
  // As bytes: Fastify would add a charset to a string, which neither media type has.
  else reply.header("content-type", type).send(body);
};

/** Throws `denied` if manifests are switched off. */
export const refuseWhenDisabled = (isEnabled: boolean): void => {
  if (!isEnabled)
    fail(
      "denied",
      "Manifests and collections are disabled: endpoint.presentation.enabled is false",
    );
};

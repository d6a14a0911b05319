import { loggable } from "../clients/loggable-error.ts";
import type { Sql } from "../clients/sql.ts";
import type { RequestContext } from "../core/context.ts";
import { fail, ServerError } from "../core/errors.ts";
import { type ByteRange, SourceChanged } from "../core/range-reader.ts";
import { type ImageQuery, isSelect, partStatement } from "./jdbc-statement.ts";
import { versionFacts } from "./jdbc-version.ts";
import { StoreFailure } from "./remote/failures.ts";
import type { ObjectFacts, ObjectResponse, RemoteObject, Store } from "./remote/store.ts";

/**
 * Finds out by which statements the image of an identifier is read; undefined where there is none.
 * A delegate's is such a one.
 */
export type JdbcLookup = (
  identifier: string,
  context: RequestContext,
) => Promise<ImageQuery | undefined>;

/** What a store in a database is made from. */
export interface JdbcStoreParts {
  readonly lookup: JdbcLookup;
  readonly sql: () => Promise<Sql>;
  /**
   * Names the database for limits and logs, without credentials: `postgresql://host:5432/pictures`.
   */
  readonly place: string;
  close(): Promise<void>;
}

/**
 * The most that one statement fetches, in bytes: servers bound what they send at once (MySQL's
 * `max_allowed_packet`), and all of it is in memory.
 */
const sliceBytes = 4_194_304;

/** Images in a database, read in parts. */
export const jdbcStore = ({ lookup, sql, place, close }: JdbcStoreParts): Store => ({
  async locate(identifier, context) {
    const query = await lookup(identifier, context);
    if (query === undefined || query.identifier.includes("\0"))
      return fail("missing", `There is no image '${identifier}'.`);
    if (!isSelect(query.lookup))
      return fail("internal", "The statement that finds images in the database is no SELECT.");
    return imageOf(query, { identifier, place, sql: await sql() });
  },
  close,
});

interface Image {
  readonly identifier: string;
  readonly place: string;
  readonly sql: Sql;
}

/** A part of an image as one statement fetched it. */
interface Slice {
  readonly facts: ObjectFacts & { readonly size: number };
  readonly bytes: Uint8Array;
}

const imageOf = (query: ImageQuery, image: Image): RemoteObject => {
  const place = `${image.place} ${query.identifier}`;
  const sliceOf = (range: ByteRange, signal: AbortSignal): Promise<Slice> =>
    fetchSlice(query, { ...image, place }, { range, signal });
  return {
    place,
    origin: image.place,
    key: `jdbc ${JSON.stringify([image.place, query.lookup, query.lastModified, query.identifier])}`,
    async get(range, { etag, signal }) {
      const wanted = range ?? { offset: 0, length: Number.MAX_SAFE_INTEGER };
      const first = await sliceOf(sliceAt(wanted, 0), signal);
      const { facts } = first;
      if (etag !== undefined && facts.etag !== etag) throw new SourceChanged();
      const end = Math.min(wanted.offset + wanted.length, facts.size);
      const part = { offset: wanted.offset, length: end - wanted.offset };
      // It was longer when the caller looked.
      if (part.length <= 0 && facts.size > 0) throw new SourceChanged();
      return {
        ...facts,
        ...(range === undefined || facts.size === 0 ? {} : { part }),
        ...bodyOf(part, first, (at) => sliceOf(sliceAt(part, at), signal)),
      };
    },
  };
};

/** As much of a range from a position on as one statement fetches. */
const sliceAt = ({ offset, length }: ByteRange, at: number): ByteRange => ({
  offset: offset + at,
  length: Math.min(sliceBytes, length - at),
});

/** The bytes of a part, slice by slice, all of the same image. */
const bodyOf = (
  { length }: ByteRange,
  first: Slice,
  next: (at: number) => Promise<Slice>,
): Pick<ObjectResponse, "body" | "discard"> => {
  let isGivenUp = false;
  const slices = async function* (): AsyncGenerator<Uint8Array> {
    let at = first.bytes.length;
    if (at > 0) yield first.bytes;
    while (at < length && !isGivenUp) {
      const { facts, bytes } = await next(at);
      if (facts.size !== first.facts.size || facts.etag !== first.facts.etag || bytes.length === 0)
        throw new SourceChanged();
      at += bytes.length;
      yield bytes;
    }
  };
  return {
    body: slices(),
    discard: () => {
      isGivenUp = true;
    },
  };
};

const fetchSlice = async (
  query: ImageQuery,
  { identifier, place, sql }: Image,
  { range, signal }: { readonly range: ByteRange; readonly signal: AbortSignal },
): Promise<Slice> => {
  try {
    const { rows } = await sql.run(partStatement(sql.dialect, query, range), signal);
    const [row] = rows;
    if (row === undefined || row["blob_size"] === null)
      return fail("missing", `There is no image '${identifier}'.`);
    const { blob_size: told, blob_part: part, blob_version: version } = row;
    const size = Number(told);
    // SQLite has nothing as the part of an empty image.
    const bytes = size === 0 ? new Uint8Array(0) : part;
    if (!(bytes instanceof Uint8Array))
      throw new StoreFailure(`${place}: the statement gave something else than bytes.`, {
        retry: false,
      });
    const given = query.lastModified;
    const constant = given !== undefined && !isSelect(given) ? given : version;
    return { facts: { size, ...versionFacts(constant, size) }, bytes };
  } catch (error) {
    signal.throwIfAborted();
    return refuseJdbc(error, { identifier, place });
  }
};

/**
 * Errors of databases by which a text is no identifier of theirs: no number, say, where they have
 * numbers.
 */
const noIdentifier = new Set(["22P02", "22003", "22021", "ER_TRUNCATED_WRONG_VALUE"]);
/** Errors of databases that come of statement or login, so that another attempt would fail, too. */
const lasting = /^(?:42|28|3D|0A)|^ER_(?:PARSE|NO_SUCH|BAD_|ACCESS_DENIED|DBACCESS)|^SQLITE_ERROR/;

const refuseJdbc = (
  error: unknown,
  { identifier, place }: { readonly identifier: string; readonly place: string },
): never => {
  if (error instanceof ServerError) throw error;
  const cause = loggable(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (noIdentifier.has(code)) return fail("missing", `There is no image '${identifier}'.`, cause);
  const detail = `${place}: ${code === "" ? "" : `${code}: `}${cause.message}`;
  throw new StoreFailure(detail, { retry: !lasting.test(code), cause });
};

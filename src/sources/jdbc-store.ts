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
 * Maps an identifier to the statements that read its image; undefined where there is none.
 * Delegates provide such a function.
 */
export type JdbcLookup = (
  identifier: string,
  context: RequestContext,
) => Promise<ImageQuery | undefined>;

/** The dependencies of a store in a database. */
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
 * Maximum bytes that one statement fetches: servers bound what they send at once (MySQL's
 * `max_allowed_packet`), and all of it is held in memory.
 */
const sliceBytes = 4_194_304;

/** Images in a database, read by ranges. */
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

/** A range of an image as one statement fetched it. */
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
      // It was longer when its size was read.
      if (part.length <= 0 && facts.size > 0) throw new SourceChanged();
      return {
        ...facts,
        ...(range === undefined || facts.size === 0 ? {} : { part }),
        ...bodyOf(part, first, (at) => sliceOf(sliceAt(part, at), signal)),
      };
    },
  };
};

/** As much of a range, from a position on, as one statement fetches. */
const sliceAt = ({ offset, length }: ByteRange, at: number): ByteRange => ({
  offset: offset + at,
  length: Math.min(sliceBytes, length - at),
});

/** The bytes of a range, one piece after the other, all of the same image. */
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
    // SQLite returns null as the range of an empty image.
    const bytes = size === 0 ? new Uint8Array(0) : part;
    if (!(bytes instanceof Uint8Array))
      throw new StoreFailure(`${place}: the statement returned something other than bytes.`, {
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
 * Database errors that mean that a text is not a valid identifier, such as one that is not a number
 * where they are numbers.
 */
const noIdentifier = new Set(["22P02", "22003", "22021", "ER_TRUNCATED_WRONG_VALUE"]);
/** Database errors caused by statement or credentials, so that a retry would fail, too. */
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

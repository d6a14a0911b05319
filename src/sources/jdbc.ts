import { availableParallelism } from "node:os";
import { loggable } from "../clients/loggable-error.ts";
import { openSql, type Sql } from "../clients/sql.ts";
import { parseSqlUrl } from "../clients/sql-url.ts";
import { defineKeys, type Settings } from "../config/keys.ts";
import { fail, ServerError } from "../core/errors.ts";
import { type Logger, silent } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import { scriptLookup } from "./jdbc-script.ts";
import { findsImages, isSelect } from "./jdbc-statement.ts";
import { type JdbcLookup, jdbcStore } from "./jdbc-store.ts";
import { defineSource } from "./kind.ts";
import { type Lazy, openOnce, whyNotOpen } from "./lazy.ts";
import { ownRemote } from "./own-remote.ts";
import { remoteSource } from "./remote/source.ts";
import { isScripted, lookupStrategies } from "./script.ts";

const jdbcSourceKeys = defineKeys({
  "JdbcSource.url": {
    type: "string",
    default: "",
    fileOnly: "service",
    doc: "URL of the image database: `jdbc:postgresql:`, `jdbc:mysql:`, `jdbc:mariadb:` or `jdbc:sqlite:`, and the same without `jdbc:`. The connection is encrypted if the URL asks for it (`sslmode=require`, for example).",
    restart: true,
  },
  "JdbcSource.user": {
    type: "string",
    default: "",
    fileOnly: "credential",
    doc: "The database user, unless the URL names one. It needs only the right to read.",
    restart: true,
  },
  "JdbcSource.password": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "The password of that user.",
    restart: true,
  },
  "JdbcSource.connection_timeout": {
    type: "seconds",
    default: 10,
    min: 0.1,
    max: 300,
    doc: "Seconds after which an attempt to connect to the database is given up.",
    restart: true,
  },
  "JdbcSource.max_connections": {
    type: "integer",
    default: null,
    min: 1,
    max: 1_000,
    doc: "Maximum number of open connections per worker process; blank for two per processor and one more.",
    restart: true,
  },
  "JdbcSource.lookup_strategy": {
    type: "choice",
    choices: lookupStrategies,
    default: "BasicLookupStrategy",
    cantaloupe: "ScriptLookupStrategy",
    fileOnly: "program",
    doc: "How an image is found: `BasicLookupStrategy` by the statements of the configuration; `ScriptLookupStrategy` by those that the delegate's methods `jdbcsource_lookup_sql` and `jdbcsource_last_modified` return, with the identifier from `jdbcsource_database_identifier`.",
    restart: true,
  },
  "JdbcSource.lookup_sql": {
    type: "string",
    default: "",
    fileOnly: "program",
    doc: "With `BasicLookupStrategy`: the SELECT that finds an image, such as `SELECT data FROM images WHERE name = ?`: one column, the bytes of the image. Every `?` stands for the identifier. Only the needed parts of the image are requested from the database.",
  },
  "JdbcSource.last_modified_sql": {
    type: "string",
    default: "",
    fileOnly: "program",
    doc: "With `BasicLookupStrategy`: a SELECT of a value that changes with the image, such as `SELECT changed FROM images WHERE name = ?`: a date or anything else. Every `?` stands for the identifier. Blank: changes are noticed only by the size and the beginning of the image.",
  },
});

type JdbcSourceSettings = Settings<typeof jdbcSourceKeys>;

const strategyKey = "JdbcSource.lookup_strategy";
const purpose = "JdbcSource";
/** Milliseconds after which a statement is cancelled. */
const statementMs = 60_000;

/** Images in a database. */
export const jdbcSource = defineSource({
  keys: jdbcSourceKeys,
  unusable: async (settings) =>
    wrongStatement(settings) ??
    whyNotOpen(
      () => open(settings, silent),
      (sql) => sql.close(),
    ),
  create(settings, log = silent, remote = ownRemote(log)) {
    const scripted = isScripted(settings()[strategyKey]);
    const sql = openOnce(() => open(settings(), log));
    const store = jdbcStore({
      lookup: scripted ? scriptLookup : basicLookup(settings),
      sql: () => sql.get(),
      place: placeOf(settings()["JdbcSource.url"]),
      async close() {
        await (await sql.opened()?.catch(() => undefined))?.close();
      },
    });
    return {
      ...remoteSource(store, remote),
      reach: (signal) => (scripted ? connect(sql, signal) : reach(store, signal)),
    } satisfies Source;
  },
});

/** What is wrong with the settings that name statements, in a sentence. */
const wrongStatement = (settings: JdbcSourceSettings): string | undefined => {
  const lookup = settings["JdbcSource.lookup_sql"];
  const changed = settings["JdbcSource.last_modified_sql"];
  if (settings["JdbcSource.url"] === "")
    return "JdbcSource.url is blank: set it to the URL of the database.";
  if (isScripted(settings[strategyKey])) return undefined;
  if (lookup === "")
    return "JdbcSource.lookup_sql is blank: set it to the SELECT that finds an image by its identifier, or have the delegate name it (JdbcSource.lookup_strategy = ScriptLookupStrategy).";
  if (!findsImages(lookup))
    return "JdbcSource.lookup_sql: expected a SELECT with a ? for the identifier.";
  return changed === "" || isSelect(changed)
    ? undefined
    : "JdbcSource.last_modified_sql: expected a SELECT with a ? for the identifier, or nothing.";
};

const open = (settings: JdbcSourceSettings, log: Logger): Promise<Sql> =>
  openSql(
    {
      key: "JdbcSource.url",
      url: settings["JdbcSource.url"],
      user: settings["JdbcSource.user"],
      password: settings["JdbcSource.password"],
      readOnly: true,
    },
    {
      connections: settings["JdbcSource.max_connections"] ?? 2 * availableParallelism() + 1,
      connectMs: settings["JdbcSource.connection_timeout"] * 1_000,
      statementMs,
    },
    { purpose, log },
  );

/** The database URL without user and password; an invalid URL is reported when it is opened. */
const placeOf = (url: string): string => {
  try {
    const address = parseSqlUrl("JdbcSource.url", url);
    return address.dialect === "sqlite"
      ? `sqlite:${address.path}`
      : `${address.dialect}://${address.host}:${address.port}/${address.database}`;
  } catch {
    return purpose;
  }
};

const basicLookup =
  (settings: () => JdbcSourceSettings): JdbcLookup =>
  async (identifier) => {
    const current = settings();
    const lastModified = current["JdbcSource.last_modified_sql"];
    return {
      identifier,
      lookup: current["JdbcSource.lookup_sql"],
      ...(lastModified === "" ? {} : { lastModified }),
    };
  };

/** Whether the database responds: the statement that finds an image is known only for an image. */
const connect = async (sql: Lazy<Sql>, signal: AbortSignal): Promise<"there"> => {
  try {
    await (await sql.get()).run({ text: "SELECT 1", values: [] }, signal);
    return "there";
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServerError) throw error;
    const cause = loggable(error);
    return fail("upstream", `The database cannot be reached: ${cause.message}`, cause);
  }
};

/** Looks up an image with no name: its absence shows that the database responds. */
const reach = async (
  store: ReturnType<typeof jdbcStore>,
  signal: AbortSignal,
): Promise<"there"> => {
  const context = { requestId: "reach", identifier: "", signal };
  try {
    const object = await store.locate("", context);
    (await object.get({ offset: 0, length: 1 }, { signal })).discard();
  } catch (error) {
    if (!(error instanceof ServerError && error.failure === "missing")) throw error;
  }
  return "there";
};

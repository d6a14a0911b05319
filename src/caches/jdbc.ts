import { availableParallelism } from "node:os";
import { openSql } from "../clients/sql.ts";
import { defineKeys, type Settings } from "../config/keys.ts";
import { fail } from "../core/errors.ts";
import { type JdbcNames, storeOn } from "./jdbc-store.ts";
import { defineStore } from "./store.ts";

const jdbcCacheKeys = defineKeys({
  "JdbcCache.url": {
    type: "string",
    default: "jdbc:postgresql://localhost:5432/cantaloupe",
    fileOnly: "service",
    doc: "URL of the cache database: `jdbc:postgresql:`, `jdbc:mysql:`, `jdbc:mariadb:` or `jdbc:sqlite:`, and the same without `jdbc:`. The connection is encrypted if the URL asks for it (`sslmode=require`, for example).",
    restart: true,
  },
  "JdbcCache.user": {
    type: "string",
    default: "postgres",
    blank: "",
    cantaloupe: "",
    fileOnly: "credential",
    doc: "The database user, unless the URL names one. Missing tables are created, which needs the right to do so.",
    restart: true,
  },
  "JdbcCache.password": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "The password of that user.",
    restart: true,
  },
  "JdbcCache.connection_timeout": {
    type: "seconds",
    default: 10,
    min: 0.1,
    max: 300,
    doc: "Seconds after which an attempt to connect to the database is given up.",
    restart: true,
  },
  "JdbcCache.max_connections": {
    type: "integer",
    default: null,
    min: 1,
    max: 1_000,
    doc: "Maximum number of open connections per worker process; blank for two per processor and one more.",
    restart: true,
  },
  "JdbcCache.derivative_image_table": {
    type: "string",
    default: "derivative_cache",
    fileOnly: "service",
    doc: "The table of derivatives: columns `operations`, `image` and `last_accessed`. A table of another program is used as it is, and only rows that Vitrine wrote are removed from it. Locks are in a table of this name with the suffix `_locks`.",
    restart: true,
  },
  "JdbcCache.info_table": {
    type: "string",
    default: "info_cache",
    fileOnly: "service",
    doc: "The table of image infos: columns `identifier`, `info` and `last_accessed`.",
    restart: true,
  },
});

/** Milliseconds after which a statement is cancelled. */
const statementMs = 60_000;

/** Entries in two tables of a database, as in Cantaloupe. */
export const jdbc = defineStore({
  keys: jdbcCacheKeys,
  open: async (settings, context) => {
    const names = tablesOf(settings);
    const sql = await openSql(
      {
        key: "JdbcCache.url",
        url: settings["JdbcCache.url"],
        user: settings["JdbcCache.user"],
        password: settings["JdbcCache.password"],
      },
      {
        connections: settings["JdbcCache.max_connections"] ?? 2 * availableParallelism() + 1,
        connectMs: settings["JdbcCache.connection_timeout"] * 1000,
        statementMs,
      },
      { purpose: "JdbcCache", log: context.log },
    );
    return storeOn(sql, names, context);
  },
});

const tablesOf = (settings: Settings<typeof jdbcCacheKeys>): JdbcNames => {
  const images = tableName(settings, "JdbcCache.derivative_image_table");
  const infos = tableName(settings, "JdbcCache.info_table");
  if (images.toLowerCase() === infos.toLowerCase())
    fail(
      "malformed",
      `JdbcCache.info_table: expected another table than that of derivatives; got ${infos}.`,
    );
  return {
    images: { table: images, name: "operations", value: "image" },
    infos: { table: infos, name: "identifier", value: "info" },
  };
};

/** A name, with or without a schema; neither needs quoting to be safe. */
const plainName = /^[a-z_][a-z0-9_]{0,50}(?:\.[a-z_][a-z0-9_]{0,50})?$/i;

const tableName = (
  settings: Settings<typeof jdbcCacheKeys>,
  key: "JdbcCache.derivative_image_table" | "JdbcCache.info_table",
): string =>
  plainName.test(settings[key])
    ? settings[key]
    : fail(
        "malformed",
        `${key}: expected a table's name of letters, digits and _, with a schema and a dot before it or not; got '${settings[key]}'.`,
      );

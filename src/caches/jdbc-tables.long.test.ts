import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../test/servers/database.ts";
import {
  mariadbClient,
  mariadbSettings,
  noMariadb,
  startMariadb,
} from "../../test/servers/mariadb.ts";
import {
  noPostgres,
  postgresClient,
  postgresSettings,
  startPostgres,
} from "../../test/servers/postgres.ts";
import { openSql } from "../clients/sql.ts";
import { Config, type Snapshot } from "../config/store.ts";
import { type LogFields, silent } from "../core/log.ts";
import { guarded } from "./guarded.ts";
import { jdbc } from "./jdbc.ts";
import { sealed } from "./sealed.ts";
import type { Store, StoreContext } from "./store.ts";

const hash = (n: number): string => n.toString(16).padStart(32, "0");
const image = (of: number, plan: number): string => `image/${hash(of)}/${hash(plan)}`;
const info = (of: number): string => `info/${hash(of)}`;
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 31) & 255);
const signal = new AbortController().signal;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A kind of database: how it is opened, and how a test runs statements in it. */
interface Place {
  readonly settings: Snapshot;
  readonly server?: Database;
  run(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  remove(): Promise<void>;
}

const sqlitePlace = async (): Promise<Place> => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-sqlite-"));
  const url = `jdbc:sqlite:${join(folder, "cache.db")}`;
  const sql = await openSql(
    { key: "url", url, user: "", password: "" },
    { connections: 1, connectMs: 5_000, statementMs: 10_000 },
    { purpose: "A test", log: silent },
  );
  return {
    settings: { "JdbcCache.url": url },
    run: async (text) => (await sql.run({ text }, signal)).rows,
    remove: async () => {
      await sql.close();
      await rm(folder, { recursive: true });
    },
  };
};

const postgresPlace = async (): Promise<Place> => {
  const server = await startPostgres();
  return {
    settings: postgresSettings(server, "JdbcCache"),
    server,
    async run(text) {
      const client = postgresClient(server.port);
      await client.connect();
      try {
        const { rows } = await client.query(text);
        return rows ?? [];
      } finally {
        await client.end();
      }
    },
    remove: server.remove,
  };
};

const mariadbPlace = async (): Promise<Place> => {
  const server = await startMariadb();
  return {
    settings: mariadbSettings(server, "JdbcCache"),
    server,
    async run(text) {
      const client = await mariadbClient(server.port);
      try {
        const [rows] = await client.query(text);
        return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
      } finally {
        await client.end();
      }
    },
    remove: server.remove,
  };
};

/** Tables as Cantaloupe's manual creates them, with some of its rows in them. */
const theirs = {
  sqlite: `CREATE TABLE %i (operations varchar(4096), image blob, last_accessed datetime)`,
  postgresql: `CREATE TABLE %i (operations varchar(4096) COLLATE "en-x-icu", image bytea, last_accessed timestamp)`,
  mariadb: `CREATE TABLE %i (operations varchar(4096), image longblob, last_accessed datetime) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci`,
};
const theirInfos = {
  sqlite: `CREATE TABLE %n (identifier varchar(4096), info varchar(8192), last_accessed datetime)`,
  postgresql: `CREATE TABLE %n (identifier varchar(4096) COLLATE "en-x-icu", info varchar(8192), last_accessed timestamp)`,
  mariadb: `CREATE TABLE %n (identifier varchar(4096), info varchar(8192), last_accessed datetime) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci`,
};

const kinds = [
  { kind: "sqlite", make: sqlitePlace, missing: undefined },
  { kind: "postgresql", make: postgresPlace, missing: noPostgres },
  { kind: "mariadb", make: mariadbPlace, missing: noMariadb },
] as const;

const titled = kinds.map((one) => ({
  ...one,
  title: `${one.kind}${one.missing ? ` (${one.missing})` : ""}`,
}));

describe.each(titled)("JdbcCache and tables in $title", ({ kind, make, missing }) => {
  let place: Place;
  const opened: Store[] = [];
  const said: { message: string; fields: LogFields | undefined }[] = [];
  const log = {
    ...silent,
    warn: (message: string, fields?: LogFields) => said.push({ message, fields }),
  };
  const open = async (more: Snapshot = {}, context: Partial<StoreContext> = {}): Promise<Store> => {
    const store = await jdbc.open(new Config({ ...place.settings, ...more }), {
      ttlMs: 0,
      bounds: { bytes: 0, entries: 0 },
      log,
      ...context,
    });
    opened.push(store);
    return store;
  };
  const tables = (images: string, infos: string): Snapshot => ({
    "JdbcCache.derivative_image_table": images,
    "JdbcCache.info_table": infos,
  });

  beforeAll(async () => {
    if (missing === undefined) place = await make();
  });
  afterAll(async () => {
    for (const store of opened) await store.close();
    await place?.remove();
  });

  it.skipIf(missing)("uses tables of Cantaloupe's, and removes nothing of its rows", async () => {
    await place.run(theirs[kind].replace("%i", "their_images"));
    await place.run(theirInfos[kind].replace("%n", "their_infos"));
    const old = kind === "sqlite" ? "0" : "'1999-01-01 00:00:00'";
    for (const name of ["a.tif_max_0_default.jpg", `image/${hash(1)}/zz`, "image/", "IMAGE/x"])
      await place.run(`INSERT INTO their_images VALUES ('${name}', '', ${old})`);
    await place.run(`INSERT INTO their_infos VALUES ('info/a', '{}', ${old})`);

    const store = await open(tables("their_images", "their_infos"));
    const before = Date.now();
    for (const plan of [1, 2, 3]) await store.put(image(1, plan), bytes(1_000), signal);
    await store.put(image(1, 3), bytes(2_000), signal);
    await store.put(info(1), bytes(3_001), signal);
    const kept = await store.get(image(1, 3), signal);
    expect(kept && Buffer.compare(kept.bytes, bytes(2_000))).toBe(0);
    expect(Math.abs((kept?.usedAt.getTime() ?? 0) - before)).toBeLessThan(5_000);
    const about = await store.get(info(1), signal);
    expect(about && Buffer.compare(about.bytes, bytes(3_001))).toBe(0);
    expect((await store.stats(signal)).entries).toBe(4);
    expect((await store.stats(signal, "image/")).entries).toBe(3);
    expect((await store.stats(signal, `image/${hash(1)}/`)).entries).toBe(3);
    expect((await store.stats(signal, info(1))).entries).toBe(1);

    expect(await store.remove(`image/${hash(1)}/`, signal)).toBe(3);
    for (const plan of [1, 2, 3]) await store.put(image(2, plan), bytes(1_000), signal);
    const swept = await store.sweep(
      { before: new Date(Date.now() - 60_000), bounds: { bytes: 0, entries: 2 } },
      signal,
    );
    expect(swept.entries).toBe(2);
    await store.remove("", signal);
    expect(await place.run("SELECT operations FROM their_images")).toHaveLength(4);
    expect(await place.run("SELECT identifier FROM their_infos")).toHaveLength(1);
  });

  it.skipIf(missing)("does not cache what does not fit a column", async () => {
    if (kind === "sqlite") return expect(said).toEqual([]);
    const store = await open(tables("roomy_images", "their_infos"));
    await store.put(info(2), bytes(9_000), signal);
    expect(await store.get(info(2), signal)).toBeUndefined();
    expect(said.at(-1)?.message).toContain("larger than the database accepts");
    // More than MariaDB accepts in one piece by default.
    await store.put(image(2, 1), new Uint8Array(17_000_000), signal);
    expect((await store.get(image(2, 1), signal)) === undefined).toBe(kind === "mariadb");
    await store.put(info(2), bytes(6_000), signal);
    expect((await store.get(info(2), signal))?.bytes.length).toBe(6_000);
  });

  it.skipIf(missing)("creates one table for concurrent callers", async () => {
    const stores = await Promise.all([1, 2, 3, 4].map(() => open(tables("at_once", "at_once_i"))));
    await Promise.all(stores.map((store, n) => store.put(image(n, 1), bytes(10), signal)));
    expect((await stores[0]?.stats(signal))?.entries).toBe(4);
    expect(said.filter(({ message }) => message.includes("cannot be reached"))).toEqual([]);
  });

  it.skipIf(missing)("rejects unsuitable tables, with what was expected", async () => {
    await place.run("CREATE TABLE others (a integer)");
    await expect(open(tables("others", "x"))).rejects.toThrow("column 'operations'");
    await expect(open(tables("t; DROP TABLE x", "x"))).rejects.toThrow("derivative_image_table");
    await expect(open(tables("same", "Same"))).rejects.toThrow("info_table");
    if (kind === "postgresql") {
      await place.run(
        "CREATE TABLE large_objects (operations varchar(4096), image oid, last_accessed timestamp)",
      );
      await expect(open(tables("large_objects", "x"))).rejects.toThrow(/'image' \(bytea\).*oid/);
    }
    if (kind === "mariadb") {
      await place.run(
        "CREATE TABLE small (operations varchar(4096), image blob, last_accessed datetime)",
      );
      await expect(open(tables("small", "x"))).rejects.toThrow(/'image' \(longblob\).*blob/);
    }
  });

  it.skipIf(missing)("keeps to its bounds without being swept", async () => {
    const bounds = { bytes: 0, entries: 50 };
    const store = await open(tables("bounded", "bounded_i"), { bounds });
    for (let n = 0; n < 600; n += 20)
      await Promise.all(
        Array.from({ length: 20 }, (_, m) => store.put(image(n, m), bytes(50), signal)),
      );
    await until(async () => (await store.stats(signal)).entries < 400);
    expect((await store.stats(signal)).entries).toBeGreaterThanOrEqual(50);
  });

  it.skipIf(missing)("removes expired locks on sweeping", async () => {
    const store = await open(tables("locked", "locked_i"));
    await store.lock?.(image(1, 1), 1, signal);
    await store.lock?.(image(1, 2), 60_000, signal);
    await wait(50);
    await store.sweep({ bounds: { bytes: 0, entries: 0 } }, signal);
    const rows = await place.run("SELECT name FROM locked_locks");
    expect(rows.map(({ name }) => name)).toEqual([image(1, 2)]);
  });

  it.skipIf(missing)("recreates dropped tables", async () => {
    const store = await open(tables("dropped", "dropped_i"));
    await store.put(image(1, 1), bytes(10), signal);
    await place.run("DROP TABLE dropped");
    await expect(store.get(image(1, 1), signal)).rejects.toThrow();
    await store.put(image(1, 1), bytes(10), signal);
    expect(await store.get(image(1, 1), signal)).toBeDefined();
  });

  // SQLite has no server.
  if (kind === "sqlite") return;

  it.skipIf(missing)(
    "misses while the server is away, and works again once it is back",
    async () => {
      const context = { ttlMs: 0, bounds: { bytes: 0, entries: 0 }, log: silent };
      const store = await open(tables("restarted", "restarted_i"));
      const patience = { readMs: 5_000, writeMs: 5_000, restMs: 50, maxRestMs: 100 };
      const cache = guarded(sealed(store, context), patience, { log: silent });
      await cache.put(image(1, 1), bytes(10));
      expect(await cache.get(image(1, 1))).toBeDefined();
      await place.server?.kill();
      expect(await cache.get(image(1, 1))).toBeUndefined();
      expect(cache.tally.failures).toBeGreaterThan(0);
      await place.server?.restart();
      await until(async () => {
        await cache.put(image(1, 2), bytes(20));
        return (await cache.get(image(1, 2))) !== undefined;
      });
      expect((await cache.get(image(1, 2)))?.body.length).toBe(20);
    },
    60_000,
  );

  it.skipIf(missing)("opens while there is no server yet", async () => {
    const url = String(place.settings["JdbcCache.url"]).replace(/:\d+\//, ":1/");
    const store = await open({ "JdbcCache.url": url, "JdbcCache.connection_timeout": 1 });
    expect(said.at(-1)?.message).toContain("cannot be reached");
    await expect(store.get(image(1, 1), signal)).rejects.toThrow();
  });
});

describe(`JdbcCache and the rights it has${noPostgres ? ` (${noPostgres})` : ""}`, () => {
  it.skipIf(noPostgres)("reports what is missing and how to create it, in PostgreSQL", async () => {
    const place = await postgresPlace();
    try {
      await place.run("CREATE ROLE poor LOGIN PASSWORD 'poor'");
      const settings = { "JdbcCache.user": "poor", "JdbcCache.password": "poor" };
      const store = jdbc.open(new Config({ ...place.settings, ...settings }), {
        ttlMs: 0,
        bounds: { bytes: 0, entries: 0 },
        log: silent,
      });
      await expect(store).rejects.toThrow(/derivative_cache.*CREATE TABLE/);
    } finally {
      await place.remove();
    }
  });
});

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  const last = performance.now() + 25_000;
  while (!(await holds())) {
    if (performance.now() > last) throw new Error("It did not come about");
    await wait(100);
  }
};

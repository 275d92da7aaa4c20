import { SQL } from "bun";
import { databaseAt, type PostgresServer } from "./postgres.ts";

/** A database that is empty but for its tables; the end of the `await using` block empties it for the next borrower. */
export interface LentDatabase extends AsyncDisposable {
  url: string;
}

/**
 * Lends a database with the tables that `prepare` makes. Databases of one `kind` are interchangeable: the first borrower of a run prepares
 * it, later ones get a copy, or one that was given back. Emptying costs a fiftieth of copying.
 */
export async function lendDatabase(
  server: PostgresServer,
  kind: string,
  prepare: (url: string) => Promise<void>,
): Promise<LentDatabase> {
  const admin = adminOf(server);
  const name = (await takeReturned(admin, kind)) ?? (await copyPrepared(server, kind, prepare));
  const url = databaseAt(server.url, name);
  return {
    url,
    async [Symbol.asyncDispose]() {
      const shape = await emptied(url).catch((fault: unknown) => `not emptied: ${fault}`);
      const back =
        await admin`update lent set free = true where name = ${name} and shape = ${shape} returning 1`;
      // A database whose tables a test has changed is no use to the next one.
      if (back.length === 0) await admin.unsafe(`drop database if exists ${name} with (force)`);
    },
  };
}

const admins = new Map<string, SQL>();

/** One connection for each server: it costs more than what it is asked. */
function adminOf({ url }: PostgresServer): SQL {
  const admin = admins.get(url) ?? new SQL(url, { max: 1, idleTimeout: 10 });
  admins.set(url, admin);
  return admin;
}

async function takeReturned(admin: SQL, kind: string): Promise<string | undefined> {
  await admin.unsafe(
    "create table if not exists lent (name text primary key, kind text not null, shape text not null, free boolean not null)",
  );
  const [taken] = await admin`update lent set free = false where name =
    (select name from lent where kind = ${kind} and free limit 1 for update skip locked) returning name`;
  return taken?.name;
}

async function copyPrepared(
  server: PostgresServer,
  kind: string,
  prepare: (url: string) => Promise<void>,
): Promise<string> {
  const hash = new Bun.CryptoHasher("md5").update(kind).digest("hex");
  const template = `template_${hash}`;
  // The lock belongs to the connection, and ends with it.
  await using admin = new SQL(server.url, { max: 1 });
  // One borrower prepares, and nothing else connects to a database while it is copied.
  await admin`select pg_advisory_lock(hashtext(${kind}))`;
  const [known] = await admin`select 1 from pg_database where datname = ${template}`;
  if (known === undefined) {
    const url = await server.createDatabase();
    await prepare(url);
    const made = new URL(url).pathname.slice(1);
    await admin.unsafe(`alter database ${made} rename to ${template}`);
  }
  const name = `lent_${crypto.randomUUID().replaceAll("-", "")}`;
  await admin.unsafe(`create database ${name} template ${template}`);
  const shape = await emptied(databaseAt(server.url, name));
  await admin`insert into lent values (${name}, ${kind}, ${shape}, false)`;
  return name;
}

/** Deletes every row but those that tell which migrations ran. Returns a digest of all that is left: tables, columns, triggers, code. */
async function emptied(url: string): Promise<string> {
  await using database = new SQL(url, { max: 1 });
  const results = await database.unsafe(`begin; ${empty}; ${describe}; commit`).simple();
  return results.flat().find((row: { shape?: string }) => row.shape !== undefined).shape;
}

/** Triggers that guard rows are off in a replica; a row that somebody still locks is an error. */
const empty = `
  set local session_replication_role = replica;
  set local lock_timeout = '2s';
  do $$ declare found record; begin
    for found in select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema') and tablename <> '_migrations'
    loop execute 'delete from ' || found.name; end loop;
    for found in select seqrelid::regclass::text as name, seqstart from pg_sequence
      where seqrelid::regclass::text not like '%_migrations_%'
    loop perform setval(found.name, found.seqstart, false); end loop;
  end $$`;

const describe = `
  select coalesce(md5(string_agg(part, ',' order by part)), '') as shape from (
    select concat_ws(' ', 'class', oid, relname, relkind, reloptions, relacl) as part from pg_class where oid >= 16384
    union all select concat_ws(' ', 'column', attrelid, attnum, attname, atttypid, attnotnull, atthasdef) from pg_attribute where attrelid >= 16384
    union all select concat_ws(' ', 'trigger', oid, tgname, tgenabled) from pg_trigger
    union all select concat_ws(' ', 'constraint', oid, conname) from pg_constraint where oid >= 16384
    union all select concat_ws(' ', 'code', oid, proname, md5(prosrc)) from pg_proc where oid >= 16384
    union all select concat_ws(' ', 'rule', oid, rulename) from pg_rewrite where oid >= 16384
    union all select concat_ws(' ', 'schema', oid, nspname, nspacl) from pg_namespace where oid >= 16384
  ) as parts`;

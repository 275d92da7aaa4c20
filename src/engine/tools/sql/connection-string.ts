/** Database named by a connection string. */
export type SqlDatabase =
  | { dialect: "sqlite" /** Absolute, or relative to the workspace. */; path: string; orRelative?: string }
  | { dialect: "postgres"; url: string };

/** Parses a connection string. The problem with an invalid one is a text that reveals nothing of it. */
export function readConnectionString(text: string): SqlDatabase | { problem: string } {
  if (/^postgres(?:ql)?:\/\//i.test(text)) return readPostgres(text);
  if (/^sqlite:/i.test(text)) return readSqlite(text.slice("sqlite:".length));
  if (/^file:/i.test(text)) return readFileUrl(text.slice("file:".length));
  if (/^[a-z][a-z0-9+.-]+:/i.test(text)) {
    return {
      problem: "must name a SQLite file (`sqlite:///path`, `file:path` or a path) or start with postgres://",
    };
  }
  return sqliteFile(text);
}

/** Name of the database for people, without credentials and folders. */
export function databaseName(database: SqlDatabase): string {
  if (database.dialect === "sqlite") return database.path.slice(database.path.search(/[^/\\]*$/));
  const { host, pathname } = new URL(database.url);
  return `${host}${pathname}`;
}

/** Secrets of a connection string: its password, raw and decoded. */
export function credentialsOf(database: SqlDatabase | { problem: string }): string[] {
  if ("problem" in database || database.dialect !== "postgres") return [];
  const { password, searchParams } = new URL(database.url);
  return [password, decodeOrSame(password), searchParams.get("password") ?? ""].filter(
    (secret) => secret !== "",
  );
}

function decodeOrSame(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readPostgres(text: string): SqlDatabase | { problem: string } {
  if (!URL.canParse(text))
    return { problem: "is not an address such as postgres://user:password@host/database" };
  const url = new URL(text);
  if (url.host === "" || url.pathname.length < 2) return { problem: "must name a host and a database" };
  return { dialect: "postgres", url: text };
}

/**
 * `sqlite:////abs` is absolute. `sqlite:///path` is ambiguous: if the workspace has a file at the relative path, that is used, otherwise
 * the absolute path.
 */
function readSqlite(rest: string): SqlDatabase | { problem: string } {
  if (!rest.startsWith("//")) return decoded(rest);
  const path = rest.slice(2);
  if (!path.startsWith("/") || path.startsWith("//")) return decoded(path.replace(/^\/\//, "/"));
  const absolute = decoded(path);
  if ("problem" in absolute || absolute.dialect !== "sqlite") return absolute;
  return { ...absolute, orRelative: absolute.path.slice(1) };
}

function readFileUrl(rest: string): SqlDatabase | { problem: string } {
  return decoded(rest.replace(/^\/\/(?:localhost)?(?=\/)/i, ""));
}

function decoded(path: string): SqlDatabase | { problem: string } {
  if (/[?#]/.test(path)) return { problem: "must name the file alone, without parameters" };
  try {
    return sqliteFile(decodeURIComponent(path));
  } catch {
    return { problem: "has a % that starts no escape; write %25" };
  }
}

function sqliteFile(path: string): SqlDatabase | { problem: string } {
  if (path === "" || path.includes("\0")) return { problem: "must name a file" };
  if (path.includes(":memory:")) return { problem: "must name a file: a database in memory would be empty" };
  return { dialect: "sqlite", path };
}

/** Modes of `sslmode`, as PostgreSQL documents them. */
const tlsModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
/** Further spellings that the driver accepts. */
const otherModes = ["", "disabled", "preferred", "required", "verify-identity"];
const modesOfSslmode: readonly string[] = [...tlsModes, ...otherModes];
const modesOfSsl: readonly string[] = [...modesOfSslmode, "true", "false", "1", "0"];
/** Values of the parameters that choose TLS, by name, with hyphens. */
const tlsParameters: ReadonlyMap<string, readonly string[]> = new Map([
  ["sslmode", modesOfSslmode],
  ["ssl-mode", modesOfSslmode],
  ["ssl", modesOfSsl],
  ["tls", modesOfSsl],
]);

/**
 * Returns what the address of a PostgreSQL database must be instead ("must be …"), or undefined if the driver can read it. The text has no
 * part of the address, which may contain a password.
 */
export function postgresAddressFault(text: string): string | undefined {
  for (const address of postgresHosts(text)) {
    const url = /^postgres(ql)?:\/\//.test(address) ? URL.parse(address) : null;
    if (url === null) return "a PostgreSQL address such as postgres://user@host/database";
    const fault = escapeFault(url) ?? tlsFault(url) ?? sessionFault(url);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * Returns one address for each host of `postgres://user@one:5432,two:5432/database`, which clients try in this order. All others share user,
 * database and parameters. See https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS.
 */
export function postgresHosts(text: string): string[] {
  const [, login, hosts = "", rest = ""] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text) ?? [];
  return login === undefined ? [text] : hosts.split(",").map((host) => `${login}${host}${rest}`);
}

/** Like `postgresAddressFault`, for the address of a Redis server, whose path is at most a database number. */
export function redisAddressFault(text: string): string | undefined {
  const url = /^rediss?:/.test(text) ? URL.parse(text) : null;
  if (url === null || url.hostname === "" || !/^\/?\d*$/.test(url.pathname))
    return "a Redis address such as redis://host:6379";
  return escapeFault(url);
}

function escapeFault({ username, password, pathname, hostname }: URL): string | undefined {
  const parts = { user: username, password, host: hostname, "database name": pathname };
  for (const [name, part] of Object.entries(parts)) {
    try {
      if (decodeURIComponent(part).includes("\0")) return `an address without a NUL character in its ${name}`;
    } catch {
      return `an address with each % of its ${name} written as %25`;
    }
  }
  return undefined;
}

function tlsFault({ searchParams }: URL): string | undefined {
  for (const [name, value] of searchParams) {
    const modes = tlsParameters.get(spelled(name));
    if (modes === undefined) continue;
    if (!modes.includes(spelled(value)))
      return `an address with one of these values for ${name}: ${tlsModes.join(", ")}`;
    if (searchParams.getAll(name).length > 1) return `an address with ${name} only once`;
  }
  return undefined;
}

/** Writes go to a host that takes them, whatever the address says; one that only reads would be of no use. */
function sessionFault({ searchParams }: URL): string | undefined {
  const attributes = searchParams.get("target_session_attrs");
  if (attributes === null || writable.includes(attributes)) return undefined;
  return `an address with one of these values for target_session_attrs: ${writable.join(", ")}`;
}

const writable: readonly string[] = ["any", "read-write", "primary"];

const spelled = (text: string) => text.toLowerCase().replaceAll("_", "-");

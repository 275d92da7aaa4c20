import type { Problem } from "../../../kit/app-error.ts";
import { postgresAddressFault } from "../../../kit/database-address.ts";
import {
  type ResolvedSettings,
  refuseSettings,
  type VectorStoreKind,
  type VectorStorePorts,
} from "../store-kind.ts";

export const pgvectorKind: VectorStoreKind = {
  name: "pgvector",
  description:
    "PostgreSQL with the extension pgvector 0.8 or newer: `dsn` (or `url`) is its connection string; absent: DATABASE_URL.",
  problems: (settings, ports) => [
    ...refuseSettings(settings, ["api_key_env"]),
    ...connectionProblems(settings, ports),
  ],
  async build(settings, ports) {
    const { createPgvectorStore } = await import("./pgvector-store.ts");
    const { clock, random, servers } = ports;
    return createPgvectorStore({ url: connectionOf(settings, ports) ?? "", clock, random, servers });
  },
};

const connectionOf = ({ dsn, url }: ResolvedSettings, { databaseUrl }: VectorStorePorts) =>
  dsn ?? url ?? databaseUrl;

function connectionProblems(settings: ResolvedSettings, ports: VectorStorePorts): Problem[] {
  const path = settings.dsn === undefined && settings.url !== undefined ? "url" : "dsn";
  if (settings.dsn !== undefined && settings.url !== undefined && settings.dsn !== settings.url)
    return [{ path: "url", message: "stands beside `dsn`; name the connection string once" }];
  const connection = connectionOf(settings, ports);
  if (connection === undefined)
    return [{ path, message: "is missing: pgvector needs a connection string here or in DATABASE_URL" }];
  const fault = postgresAddressFault(connection);
  return fault === undefined ? [] : [{ path, message: `must be ${fault}` }];
}

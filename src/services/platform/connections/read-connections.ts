import { eq, sql } from "drizzle-orm";
import type { RuntimeConnection } from "../../../contracts/runtime/runs.ts";
import { statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import type { ConnectionDeps } from "./deps.ts";

/** Returns a tenant's opened connections for its runs; none if there are no keys to open them. */
export async function readConnections(
  { storage: { read, tables }, sealer }: Pick<ConnectionDeps, "storage" | "sealer">,
  tenantId: string,
): Promise<Record<string, RuntimeConnection>> {
  if (sealer === undefined) return {};
  const rows = await connectionsOf(read, tables).execute({ tenantId });
  return Object.fromEntries(
    rows.map(({ name, baseUrl, material }) => [
      name,
      {
        ...(baseUrl === null ? {} : { base_url: baseUrl }),
        material: JSON.parse(sealer.open(material, connectionSeal(tenantId, name))),
      },
    ]),
  );
}

const connectionsOf = statement((query: ReadQuery, { connections }: PlatformTables) =>
  query
    .select({
      name: connections.name,
      baseUrl: connections.baseUrl,
      material: connections.material,
    })
    .from(connections)
    .where(eq(connections.tenantId, sql.placeholder("tenantId")))
    .prepare("platform_connections_of_tenant"),
);

/** Sealing context of a connection. It opens only for the same tenant and name. */
export const connectionSeal = (tenant: string, name: string) => ({ purpose: "connection", tenant, name });

import { eq } from "drizzle-orm";
import type { RuntimeConnection } from "../../../contracts/runtime/runs.ts";
import type { PlatformDeps } from "../deps.ts";

/** A tenant's connections, opened, as each of its runs is given them; none where there are no keys to open them with. */
export async function readConnections(
  { storage: { read, tables }, sealer }: Pick<PlatformDeps, "storage" | "sealer">,
  tenantId: string,
): Promise<Record<string, RuntimeConnection>> {
  if (sealer === undefined) return {};
  const { connections } = tables;
  const rows = await read.select().from(connections).where(eq(connections.tenantId, tenantId));
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

/** What a connection's material is sealed for: it opens as no other tenant's and under no other name. */
export const connectionSeal = (tenant: string, name: string) => ({ purpose: "connection", tenant, name });

import { and, asc, gt, isNull } from "drizzle-orm";
import { gatewayAreas, type StorageLimits } from "../../../contracts/gateway/stored.ts";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { toAppError } from "../../../kit/app-error.ts";
import type { Logger } from "../../../kit/log.ts";
import { askedOwnersMax, type HeldElsewhere, noteElsewhere, storedAreas } from "../../../storage/room.ts";
import type { StoreDeps } from "../tables.ts";
import { storageLimit } from "./tenant-room.ts";

/** Tells the gateway how much tenants may store, and returns what it holds for them. */
export type GatewayStorageLimits = (tenants: StorageLimits["tenants"]) => Promise<HeldElsewhere[]>;

interface Ports extends Pick<StoreDeps, "storage" | "clock"> {
  runtime: Pick<RuntimeClient, "stored">;
  /** Undefined without a gateway. */
  gatewayStorage: GatewayStorageLimits | undefined;
  log: Logger;
}

/**
 * Keeps what tenants store in the runtime and the gateway beside what they store here, so that requests ask no other service, and tells
 * the gateway their limits. If one of the two is away, its last figures hold, and the next round asks again.
 */
export async function noteTenantsElsewhere(ports: Ports): Promise<void> {
  const { storage, runtime, gatewayStorage } = ports;
  const { tenants } = storage.tables;
  for (let after = ""; ; ) {
    const rows = await storage.read
      .select({ id: tenants.id })
      .from(tenants)
      .where(and(gt(tenants.id, after), isNull(tenants.deletedAt)))
      .orderBy(asc(tenants.id))
      .limit(askedOwnersMax);
    const last = rows.at(-1);
    if (last === undefined) return;
    const ids = rows.map(({ id }) => id);
    await noted(ports, "daemon", () => runtime.stored(ids));
    if (gatewayStorage !== undefined)
      await noted(ports, "gateway", async () => {
        const told: StorageLimits["tenants"] = [];
        for (const id of ids) told.push(await limitsOf(ports, id));
        return gatewayStorage(told);
      });
    after = last.id;
  }
}

async function noted(
  { storage, log }: Ports,
  service: "daemon" | "gateway",
  held: () => Promise<HeldElsewhere[]>,
): Promise<void> {
  try {
    await noteElsewhere(storage, await held());
  } catch (thrown) {
    log.warn("storage.not_counted", { service, code: toAppError(thrown).code });
  }
}

const areGateways: ReadonlySet<string> = new Set(gatewayAreas);

async function limitsOf(ports: Ports, tenantId: string): Promise<StorageLimits["tenants"][number]> {
  const areas = await storedAreas(ports.storage, tenantId);
  const others = areas.filter(({ area }) => !areGateways.has(area));
  return {
    tenant_id: tenantId,
    limit_bytes: await storageLimit(ports, tenantId),
    elsewhere_bytes: others.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

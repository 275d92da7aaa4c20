import { isNull } from "drizzle-orm";
import { gatewayAreas, type StorageLimits } from "../../../contracts/gateway/stored.ts";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { noteOwnersElsewhere, type OtherService } from "../../../control-plane/room/note-elsewhere.ts";
import type { Logger } from "../../../kit/log.ts";
import { type HeldElsewhere, storedAreas } from "../../../storage/room.ts";
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

/** Keeps what tenants store in the runtime and the gateway beside what they store here, and tells the gateway their limits. */
export function noteTenantsElsewhere(ports: Ports): Promise<void> {
  const { storage, runtime, gatewayStorage } = ports;
  const { tenants } = storage.tables;
  const holders: OtherService[] = [{ service: "daemon", held: (ids) => runtime.stored(ids) }];
  if (gatewayStorage !== undefined)
    holders.push({
      service: "gateway",
      async held(ids) {
        const limits: StorageLimits["tenants"] = [];
        for (const id of ids) limits.push(await limitsOf(ports, id));
        return gatewayStorage(limits);
      },
    });
  return noteOwnersElsewhere(ports, { owners: tenants, isLive: isNull(tenants.deletedAt) }, holders);
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

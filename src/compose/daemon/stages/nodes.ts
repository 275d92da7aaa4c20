import type { NodeParts } from "../../../services/daemon/mesh/node-runs.ts";
import { type OpenNodes, openNodes } from "../../../services/daemon/mesh/open-nodes.ts";
import { namedModels } from "../../../services/daemon/providers/named-models.ts";
import type { Foundation } from "../../foundation.ts";
import { serviceConfig } from "../../settings/service-settings.ts";
import { nodeData } from "../node-data.ts";
import { nodeNetwork } from "../node-network.ts";
import type { DaemonModels } from "./models.ts";
import type { DaemonState } from "./state.ts";
import type { Telemetry } from "./telemetry.ts";

type Parts = Pick<Foundation, "config" | "folder" | "clock" | "machineClock" | "newId" | "random" | "log">;

/** The way to other nodes and from them; undefined if this daemon works alone. Calls none before its workers run. */
export async function openDaemonNodes(
  { config, folder, clock, machineClock, newId, random, log }: Parts,
  {
    state: { catalog, gate, storage },
    models,
    telemetry: { metrics, keepTrace },
    files,
  }: { state: DaemonState; models: DaemonModels; telemetry: Telemetry; files: NodeParts["files"] },
): Promise<OpenNodes | undefined> {
  if (config.mesh === undefined && config.peers === undefined) return undefined;
  const { host, port } = serviceConfig(config.services, "daemon");
  return openNodes(
    { config, folder, network: nodeNetwork, clock, machineClock, newId, random, log },
    {
      catalog,
      gate,
      data: await nodeData(config, storage),
      files,
      registry: metrics.registry,
      // Nodes on PostgreSQL share the traces.
      keepTrace: storage.dialect === "sqlite" ? keepTrace : undefined,
      directModels: () => namedModels(models.files.providers()),
    },
    { mesh: config.mesh, peers: config.peers && { ...config.peers, address: `${host}:${port}` } },
  );
}

import type { DoctorCheck } from "../../contracts/daemon/system.ts";
import type { Worker } from "../../kit/worker.ts";
import type { DaemonMesh } from "../../services/daemon/mesh/routes.ts";
import { openMesh } from "./mesh.ts";
import type { NodeFoundation, NodeParts, NodeRuns } from "./node-runs.ts";
import { openPeers } from "./peers.ts";

/** The other nodes: those of a mesh, or configured peers. */
export interface OpenNodes {
  /** Undefined without a mesh. */
  mesh: DaemonMesh | undefined;
  runs: NodeRuns;
  workers: readonly Worker[];
  /** Tells the others to send nothing more. */
  leave(): Promise<void>;
  check(): Promise<Omit<DoctorCheck, "name">>;
}

/** Opens the way to other nodes; undefined if this daemon works alone. */
export function openNodes(foundation: NodeFoundation, parts: NodeParts): OpenNodes | undefined {
  const { mesh, peers } = foundation.config;
  if (mesh !== undefined) return openMesh(foundation, parts, mesh);
  return peers && openPeers(foundation, parts, peers);
}

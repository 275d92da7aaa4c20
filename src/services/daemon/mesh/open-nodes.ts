import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { NodeTls } from "../../../mesh/tls/node-tls.ts";
import type { NodeParts, NodeRuns, NodeSurroundings } from "./node-runs.ts";
import { type OwnMeshSettings, openMesh } from "./open-mesh.ts";
import { openPeers, type PeerSettings } from "./open-peers.ts";
import type { DaemonMesh } from "./routes.ts";

/** The other nodes: those of a mesh, or configured peers. */
export interface OpenNodes {
  /** Undefined without a mesh. */
  mesh: DaemonMesh | undefined;
  runs: NodeRuns;
  /** The port for the other nodes, if it is not the daemon's. */
  door?: { port: number; tls: NodeTls };
  /** Name of this node. */
  name: string;
  workers: readonly Worker[];
  /** Tells the others to send nothing more. */
  leave(): Promise<void>;
  check(): Promise<Omit<DoctorCheck, "name">>;
  /** Returns why load balancers should send this node nothing; undefined if they may. */
  unready(): string | undefined;
}

/** Opens the way to other nodes; undefined if this daemon works alone. */
export function openNodes(
  surroundings: NodeSurroundings,
  parts: NodeParts,
  { mesh, peers }: { mesh: OwnMeshSettings | undefined; peers: PeerSettings | undefined },
): OpenNodes | undefined {
  if (mesh !== undefined) return openMesh(surroundings, parts, mesh);
  return peers && openPeers(surroundings, parts, peers);
}

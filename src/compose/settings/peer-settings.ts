import type { MeshRole } from "../../contracts/daemon/mesh.ts";
import { isLoopback } from "../../kit/fetch/is-loopback.ts";
import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import type { MeshConfig, NodeIdentity } from "./mesh-settings.ts";
import { type ServiceConfigs, serviceConfig } from "./service-settings.ts";
import type { SettingReader } from "./setting.ts";

/** A daemon elsewhere that this one hands runs to, without a mesh. */
export interface PeerConfig {
  name: string;
  url: string;
}

/** Daemons that work together without a mesh. */
export interface PeersConfig extends NodeIdentity {
  peers: readonly PeerConfig[];
}

/** Reads the daemons of `spec.peers`; undefined if this daemon works alone or in a mesh. */
export function readPeers(
  reader: SettingReader,
  { spec }: RuntimeFile,
  services: ServiceConfigs,
  { identity, mesh, role }: { identity: NodeIdentity; mesh: MeshConfig | undefined; role: MeshRole },
): PeersConfig | undefined {
  const listed = spec.peers ?? [];
  if (mesh !== undefined) {
    if (listed.length > 0)
      reader.fault("runtime.yaml spec.peers", "can't be used in a mesh, which finds its nodes; remove it");
    return undefined;
  }
  for (const [index, peer] of listed.entries()) {
    const other = peer.services.find((service) => service !== "daemon");
    if (other === undefined) continue;
    reader.fault(
      `runtime.yaml spec.peers[${index}].services`,
      `can't name ${other}: peers are daemons that take runs. The address of another service is a setting of the service that calls it`,
    );
  }
  if (role === "gateway" && listed.length === 0) {
    reader.fault(
      "PLATFORM_ROLE",
      "gateway needs nodes that run agents: use mesh-gateway, or name daemons in spec.peers of runtime.yaml",
    );
  }
  const { secret } = identity;
  if (listed.length === 0 && role === "full" && secret === undefined) return undefined;
  const { host } = serviceConfig(services, "daemon");
  const isLocal = isLoopback(host) && listed.every(({ url }) => isLoopback(new URL(url).hostname));
  if (secret === undefined && !isLocal) {
    reader.fault(
      "PLATFORM_MESH_SECRET",
      "is needed when daemons on other machines hand over runs; all need the same (`openssl rand -base64 32` makes one)",
    );
  }
  return {
    ...identity,
    peers: listed.map(({ name: peer, url }) => ({ name: peer, url: url.replace(/\/+$/, "") })),
  };
}

import { isLoopback } from "../../kit/fetch/is-loopback.ts";
import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import { hostOf } from "../../mesh/host-of.ts";
import { secretReading } from "./secrets/secret-setting.ts";
import { type ServiceConfigs, serviceConfig } from "./service-settings.ts";
import { asFlag, asList, type SettingReader } from "./setting.ts";

/** Settings of this node in a mesh. */
export interface MeshConfig {
  /** Undefined: made up at the first start and kept in the data folder. */
  nodeName?: string;
  /** `host:port` at which other nodes reach this one. */
  address: string;
  /** Port for the other nodes, over TLS. Undefined: they use the daemon's port, unencrypted unless the daemon speaks TLS. */
  port?: number;
  seeds: readonly string[];
  /** Key of the messages' signatures. Undefined only on loopback. */
  secret?: string;
  tickMs: number;
  gossipMs: number;
  suspectMs: number;
  deadMs: number;
}

const everyAddress: readonly string[] = ["0.0.0.0", "::"];
const nodeName = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/;
const addressForm = /^(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+):([0-9]{1,5})$/i;

/** Name of this node and the key that it shares with others. */
export type NodeIdentity = Pick<MeshConfig, "nodeName" | "secret">;

export function readNodeIdentity(reader: SettingReader, { spec }: RuntimeFile): NodeIdentity {
  const name = reader.find({
    key: "mesh.node_name",
    variables: ["PLATFORM_NODE_NAME"],
    file: { path: "spec.mesh.node_name", value: spec.mesh?.node_name },
    read: (text) => (nodeName.test(text) ? text : undefined),
    expects: "up to 63 lower-case letters, digits, dots and hyphens",
  });
  const secret = reader.find({ key: "mesh.secret", variables: ["PLATFORM_MESH_SECRET"], ...secretReading });
  return {
    ...(name === undefined ? {} : { nodeName: name }),
    ...(secret === undefined ? {} : { secret }),
  };
}

/** Reads the mesh's settings; undefined if it is off. */
export function readMesh(
  reader: SettingReader,
  { spec }: RuntimeFile,
  services: ServiceConfigs,
  { identity, joinsMesh }: { identity: NodeIdentity; joinsMesh: boolean },
): MeshConfig | undefined {
  const file = spec.mesh ?? {};
  const isEnabled = reader.get(
    {
      key: "mesh.enabled",
      variables: ["PLATFORM_MESH_ENABLED"],
      file: { path: "spec.mesh.enabled", value: file.enabled },
      read: asFlag,
      expects: "true or false",
    },
    joinsMesh,
  );
  const seeds = reader.get(
    {
      key: "mesh.seeds",
      variables: ["PLATFORM_MESH_SEEDS"],
      file: { path: "spec.mesh.seeds", value: file.seeds?.join(",") },
      read: (text) => {
        const list = asList(text);
        return list?.every((seed) => isAddress(seed)) ? list : undefined;
      },
      expects: "addresses as host:port, separated by commas",
    },
    [],
  );
  const advertised = reader.find({
    key: "mesh.advertise",
    file: { path: "spec.mesh.advertise", value: file.advertise },
    read: (text) => (isAddress(text) ? text : undefined),
    expects: "host:port",
  });
  const nodesPort = reader.find({
    key: "mesh.port",
    variables: ["PLATFORM_MESH_PORT"],
    file: { path: "spec.mesh.port", value: file.port },
    read: asPort,
    expects: "a port from 1 to 65535",
  });
  if (!isEnabled) return undefined;
  const { enabled, host, port } = serviceConfig(services, "daemon");
  if (!enabled) reader.fault("mesh.enabled", "needs the daemon, which is not among the services");
  const isOpen = everyAddress.includes(host);
  if (advertised === undefined && (isOpen || (nodesPort ?? port) === 0)) {
    const reason = isOpen ? `the daemon listens on ${host}` : "the daemon's port is 0";
    reader.fault(
      "spec.mesh.advertise",
      `is needed, because ${reason}: name the host:port at which other nodes reach this one`,
    );
  }
  const address = advertised ?? `${host.includes(":") ? `[${host}]` : host}:${nodesPort ?? port}`;
  if (nodesPort !== undefined && identity.secret === undefined)
    reader.fault("mesh.port", "needs PLATFORM_MESH_SECRET, from which nodes make their certificates");
  if (nodesPort !== undefined && nodesPort === port)
    reader.fault("mesh.port", `must differ from the daemon's port, ${port}`);
  if (identity.secret === undefined && !(isLoopback(host) && isLoopback(hostOf(address)))) {
    reader.fault(
      "PLATFORM_MESH_SECRET",
      "is needed when other machines can reach the daemon; all nodes need the same (`openssl rand -base64 32` makes one)",
    );
  }
  return {
    ...identity,
    address,
    ...(nodesPort === undefined ? {} : { port: nodesPort }),
    seeds,
    tickMs: file.heartbeat_ms ?? 1_000,
    gossipMs: file.gossip_ms ?? 1_000,
    suspectMs: file.suspect_ms ?? 5_000,
    deadMs: file.dead_ms ?? 15_000,
  };
}

const asPort = (text: string): number | undefined => {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port < 65_536 ? port : undefined;
};

/** Returns true for `host:port`, with the port from 1 to 65535. */
function isAddress(text: string): boolean {
  const port = Number(addressForm.exec(text)?.[1] ?? 0);
  return port > 0 && port < 65_536;
}

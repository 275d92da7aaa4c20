import type { MeshRole } from "../../contracts/daemon/mesh.ts";
import type { ServiceName } from "./service-settings.ts";
import { oneOf, type SettingReader } from "./setting.ts";

/** Values of PLATFORM_ROLE. `mesh-…` is the same role as part of a mesh. */
const profiles = [
  "full",
  "gateway",
  "worker",
  "inference",
  "mesh-gateway",
  "mesh-worker",
  "mesh-inference",
] as const;

export interface RoleConfig {
  role: MeshRole;
  /** True if the profile joins a mesh unless PLATFORM_MESH_ENABLED says otherwise. */
  joinsMesh: boolean;
}

export function readRole(reader: SettingReader): RoleConfig {
  const profile = reader.get(
    {
      key: "role",
      variables: ["PLATFORM_ROLE"],
      read: oneOf(profiles),
      expects: `one of ${profiles.join(", ")}`,
    },
    "full",
  );
  return { role: profile.replace(/^mesh-/, "") as MeshRole, joinsMesh: profile.startsWith("mesh-") };
}

/** Services that each role starts unless `--services` or runtime.yaml says otherwise. */
const servicesOfRole: Readonly<Record<MeshRole, readonly ServiceName[]>> = {
  full: ["daemon", "platform", "gateway", "cloud", "translator"],
  gateway: ["daemon", "gateway"],
  worker: ["daemon"],
  inference: ["daemon"],
};

export const startsIn = (role: MeshRole, service: ServiceName): boolean =>
  servicesOfRole[role].includes(service);

/** Returns true for roles that load the workspace's agents, tools and pipelines. */
export const keepsAgents = (role: MeshRole): boolean => role === "full" || role === "worker";

/** Returns true for roles that answer people: with the console and messaging channels. */
export const answersPeople = (role: MeshRole): boolean => role === "full" || role === "gateway";

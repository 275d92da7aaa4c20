import type { gatewayAdminClient } from "../contracts/gateway/client.ts";
import type { PlatformClient } from "../contracts/platform/clients/client.ts";
import type { ControlClient } from "../contracts/platform/clients/control-client.ts";
import { AppError } from "../kit/app-error.ts";
import type { SecretRecord } from "./secret-field.ts";

export type GatewayAdmin = ReturnType<typeof gatewayAdminClient>;

/** The tenant of a platform, and its gateway, that a workspace is applied to. */
export interface WorkspaceTarget {
  tenantId: string;
  tenantName: string;
  /** Acts as the machine's owner for the tenant. */
  tenant: PlatformClient;
  /** Acts as an operator. */
  operator: PlatformClient;
  control: ControlClient;
  /** Undefined if nothing of the workspace needs the gateway. */
  gateway: GatewayAdmin | undefined;
}

export interface ResourceKey {
  type: string;
  name: string;
}

/** A resource as the workspace's files declare it. */
export interface Declared extends ResourceKey {
  /** Path of the file, relative to the workspace. */
  file: string;
  /** Comparable values. A secret is `env:` and the name of its variable. */
  config: Record<string, unknown>;
  /** Values of secrets by their dotted path in the config. */
  secrets: ReadonlyMap<string, string>;
  /** Keys of the resources that it refers to, as `keyText` writes them. */
  needs: readonly string[];
}

/** A resource as the platform or the gateway has it. */
export interface Present extends ResourceKey {
  id: string;
  /** Values as in `Declared`, without secrets. */
  config: Record<string, unknown>;
  /** Secrets by their path, as the gateway shows them: by the last characters. */
  masks: ReadonlyMap<string, string>;
  /** Consequence of deleting it, as a sentence. */
  loss?: string;
}

/** A resource as an earlier apply recorded it. */
export interface Recorded extends ResourceKey {
  config: Record<string, unknown>;
  secrets: Readonly<Record<string, SecretRecord>>;
  /** True: the apply may have ended before the resource was created. */
  isPending: boolean;
}

/** One kind of resource: how it is read, created, changed and deleted. */
export interface WorkspaceKind {
  type: string;
  /** Returns those of the named resources that exist. */
  observe(target: WorkspaceTarget, named: readonly (Declared | Recorded)[]): Promise<Present[]>;
  create(target: WorkspaceTarget, declared: Declared): Promise<void>;
  /** Reason why the present values can't become the declared ones; undefined if they can. */
  conflict?(declared: Declared, present: Present): { message: string; hint: string } | undefined;
  update(target: WorkspaceTarget, declared: Declared, present: Present): Promise<void>;
  /** Absent: the platform never deletes resources of this kind, so they stay. */
  delete?(target: WorkspaceTarget, present: Present): Promise<void>;
}

export const keyText = ({ type, name }: ResourceKey): string => `${type}/${name}`;

/** Returns the gateway's client. A target without one has no channels to read. */
export function gatewayOf({ gateway }: WorkspaceTarget): GatewayAdmin {
  if (gateway !== undefined) return gateway;
  throw new AppError(
    "unavailable",
    "gateway_needed",
    "An earlier apply created channels, and the gateway can't be reached.",
    { details: { hint: "Set GATEWAY_ADMIN_TOKEN, and start the gateway beside the platform." } },
  );
}

/** Drops undefined values, so that configs compare by what they say. */
export const given = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));

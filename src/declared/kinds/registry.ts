import type { WorkspaceKind } from "../workspace-kind.ts";
import { agentKind } from "./agent-kind.ts";
import { basePlanKind } from "./base-plan-kind.ts";
import { channelAccountKind } from "./channel-account-kind.ts";
import { channelBindingKind } from "./channel-binding-kind.ts";
import { collectionKind } from "./collection-kind.ts";
import { planKind } from "./plan-kind.ts";
import { tariffKind } from "./tariff-kind.ts";

/** Every kind of resource that a workspace declares, in the order in which they are created; they are deleted in reverse. */
export const workspaceKinds: readonly WorkspaceKind[] = [
  planKind,
  tariffKind,
  basePlanKind,
  collectionKind,
  agentKind,
  channelAccountKind,
  channelBindingKind,
];

const byType = new Map(workspaceKinds.map((kind) => [kind.type, kind]));

/** Returns undefined for a type that this version doesn't know, from the record of a later one. */
export const findWorkspaceKind = (type: string): WorkspaceKind | undefined => byType.get(type);

export const isOfGateway = ({ type }: { type: string }): boolean => type.startsWith("gateway.");

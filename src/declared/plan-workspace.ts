import type { WorkspaceRecords } from "../contracts/platform/workspace.ts";
import type { FieldChange, ResourceChange } from "../contracts/translator/reconcile.ts";
import { AppError } from "../kit/app-error.ts";
import {
  type DeclaredWorkspace,
  type FileProblem,
  invalidWorkspace,
  type WorkspaceNote,
} from "./declared-workspace.ts";
import { fieldChanges } from "./field-changes.ts";
import { agentType } from "./kinds/agent-kind.ts";
import { planType } from "./kinds/plan-kind.ts";
import { findWorkspaceKind, workspaceKinds } from "./kinds/registry.ts";
import { planHash } from "./plan-hash.ts";
import { type SecretRecord, withSecrets } from "./secret-field.ts";
import {
  type Declared,
  keyText,
  type Present,
  type Recorded,
  type ResourceKey,
  type WorkspaceKind,
  type WorkspaceTarget,
} from "./workspace-kind.ts";

/** A change that the platform refuses, so that nothing of the plan is applied. */
export interface WorkspaceConflict {
  resource_type: string;
  resource: string;
  file: string;
  message: string;
  hint: string;
}

/** The differences between a workspace's files and a tenant of the platform. */
export interface WorkspacePlan {
  tenant: { id: string; name: string };
  /** SHA-256 of the changes and what they start from. An apply with it does exactly these changes or nothing. */
  hash: string;
  changes: ResourceChange[];
  conflicts: WorkspaceConflict[];
  notes: WorkspaceNote[];
}

/** One change of a plan, with what carries it out. */
export type PlanStep = { kind: WorkspaceKind; change: ResourceChange } & (
  | { action: "create"; declared: Declared }
  | { action: "update"; declared: Declared; present: Present }
  | { action: "delete"; present: Present }
);

/** A plan, and what is needed to carry it out. */
export interface MadeWorkspacePlan {
  plan: WorkspacePlan;
  steps: PlanStep[];
  /** Revision of the records that the plan is based on. */
  revision: number;
  /** Declared resources that are there as declared, but are recorded differently. */
  toRecord: Declared[];
  /** Records of resources that are neither declared nor there. */
  toForget: ResourceKey[];
}

export interface PlanOptions {
  /** Takes over resources that exist and that no apply created. */
  adopt: boolean;
}

/** Checks of agents by the runtime at a time. */
const checksAtOnce = 4;

/** Compares the declared resources with the tenant's. Throws `invalid_workspace` (400) for agents and names that the platform refuses. */
export async function planWorkspace(
  target: WorkspaceTarget,
  declared: DeclaredWorkspace,
  { adopt }: PlanOptions,
): Promise<MadeWorkspacePlan> {
  const { revision, resources } = await target.control.readWorkspace(target.tenantId);
  const recorded = new Map(readRecords(resources).map((one) => [keyText(one), one]));
  const present = await observeAll(target, [...declared.resources, ...recorded.values()]);
  await requireNames(target, declared, present);
  const draft: Draft = { steps: [], conflicts: [], toRecord: [], notes: [...declared.notes] };
  for (const one of declared.resources) {
    const key = keyText(one);
    compare(draft, { declared: one, present: present.get(key), recorded: recorded.get(key), adopt });
  }
  await requireRunnable(target, declared, draft.steps);
  const wanted = new Set(declared.resources.map(keyText));
  const left = [...recorded.values()].filter((one) => !wanted.has(keyText(one)));
  const deletes = inOrderOfDeletion(left).flatMap((one) => deletionOf(draft, one, present.get(keyText(one))));
  const steps = [...draft.steps, ...deletes];
  const tenant = { id: target.tenantId, name: target.tenantName };
  const changes = steps.map(({ change }) => change);
  return {
    plan: {
      tenant,
      hash: planHash({ tenant, revision, conflicts: draft.conflicts.length }, changes),
      changes,
      conflicts: draft.conflicts,
      notes: draft.notes,
    },
    steps,
    revision,
    toRecord: draft.toRecord,
    toForget: left.filter(
      (one) => !present.has(keyText(one)) || findWorkspaceKind(one.type)?.delete === undefined,
    ),
  };
}

interface Draft {
  steps: PlanStep[];
  conflicts: WorkspaceConflict[];
  toRecord: Declared[];
  notes: WorkspaceNote[];
}

interface Comparison {
  declared: Declared;
  present: Present | undefined;
  recorded: Recorded | undefined;
  adopt: boolean;
}

/** Adds what one declared resource needs to the plan. */
function compare(draft: Draft, { declared, present, recorded, adopt }: Comparison): void {
  const kind = findWorkspaceKind(declared.type) as WorkspaceKind;
  const { type: resource_type, name: resource, file } = declared;
  const changeOf = (action: "create" | "update", fields: FieldChange[]): ResourceChange => ({
    action,
    resource,
    resource_type,
    fields,
  });
  if (present === undefined) {
    // An empty config would be one change without a path.
    const fields = fieldChanges(undefined, declared.config).filter(({ path }) => path !== "");
    draft.steps.push({ kind, action: "create", declared, change: changeOf("create", fields) });
    return;
  }
  const fields = fieldChanges(withSecrets(present, declared, recorded), declared.config);
  // What the platform never deletes needs no owner.
  const isForeign = recorded === undefined && kind.delete !== undefined;
  const at = { resource_type, resource, file };
  if (isForeign && !adopt) {
    draft.conflicts.push({
      ...at,
      message: `${resource_type} ${resource} exists, and no apply of a workspace created it.`,
      hint: "Run with --adopt to take it over, or give yours another name.",
    });
    return;
  }
  const conflict = fields.length > 0 ? kind.conflict?.(declared, present) : undefined;
  if (conflict !== undefined) {
    draft.conflicts.push({ ...at, ...conflict });
    return;
  }
  const adopted: FieldChange[] = isForeign ? [{ path: "managed-by", after: "argosy" }] : [];
  if (fields.length + adopted.length > 0) {
    const change = changeOf("update", [...adopted, ...fields]);
    draft.steps.push({ kind, action: "update", declared, present, change });
  } else if (
    recorded === undefined ||
    recorded.isPending ||
    fieldChanges(recorded.config, declared.config).length > 0
  )
    draft.toRecord.push(declared);
}

function deletionOf(draft: Draft, recorded: Recorded, present: Present | undefined): PlanStep[] {
  const kind = findWorkspaceKind(recorded.type);
  if (present === undefined || kind === undefined) return [];
  const { type: resource_type, name: resource } = recorded;
  if (kind.delete === undefined) {
    const message = `${resource_type} ${resource} is no longer declared. It stays: the platform never deletes it.`;
    draft.notes.push({ resource_type, resource, message });
    return [];
  }
  if (present.loss !== undefined) draft.notes.push({ resource_type, resource, message: present.loss });
  const fields = fieldChanges(present.config, undefined).filter(({ path }) => path !== "");
  return [{ kind, action: "delete", present, change: { action: "delete", resource, resource_type, fields } }];
}

/** Deletes in reverse of the order of creation; of agents, those that refer to others first. */
function inOrderOfDeletion(recorded: readonly Recorded[]): Recorded[] {
  const rank = ({ type }: Recorded) => workspaceKinds.findIndex((kind) => kind.type === type);
  const text = new Map(recorded.map((one) => [one, JSON.stringify(one.config)]));
  const mentions = (one: Recorded) =>
    recorded.filter((other) => other !== one && text.get(one)?.includes(`"${other.name}"`)).length;
  return recorded.toSorted((one, other) => rank(other) - rank(one) || mentions(other) - mentions(one));
}

export function readRecords(resources: WorkspaceRecords["resources"]): Recorded[] {
  return resources.map(({ resource_type: type, name, applied }) => {
    const { config = {}, secrets = {}, pending } = applied as Partial<AppliedValues & { pending: boolean }>;
    return { type, name, config, secrets, isPending: pending === true };
  });
}

/** Values of a record; only `pending` before the resource is created. */
export interface AppliedValues extends Record<string, unknown> {
  config: Record<string, unknown>;
  secrets: Record<string, SecretRecord>;
}

/** Returns those of the named resources that exist, by key. */
export async function observeAll(
  target: WorkspaceTarget,
  named: readonly (Declared | Recorded)[],
): Promise<Map<string, Present>> {
  const present = new Map<string, Present>();
  for (const kind of workspaceKinds) {
    const byKey = new Map(named.filter(({ type }) => type === kind.type).map((one) => [keyText(one), one]));
    if (byKey.size === 0) continue;
    for (const one of await kind.observe(target, [...byKey.values()])) present.set(keyText(one), one);
  }
  return present;
}

/** Requires that plans and agents which the files name, without declaring them, exist on the platform. */
async function requireNames(
  target: WorkspaceTarget,
  { resources }: DeclaredWorkspace,
  present: ReadonlyMap<string, Present>,
): Promise<void> {
  const declared = new Set(resources.map(keyText));
  const open = resources.flatMap((one) =>
    one.needs.filter((need) => !declared.has(need) && !present.has(need)).map((need) => ({ one, need })),
  );
  if (open.length === 0) return;
  const of = (type: string, names: readonly string[]) => names.map((name) => keyText({ type, name }));
  const known = new Set([
    ...of(
      planType,
      (await target.operator.listPlans()).plans.map(({ id }) => id),
    ),
    ...of(
      agentType,
      (await target.tenant.listAgents()).agents.map(({ name }) => name),
    ),
  ]);
  const problems = open
    .filter(({ need }) => !known.has(need) && /^platform\.(plan|agent)\//.test(need))
    .map(({ one, need }): FileProblem => {
      const [, what = "", name = ""] = /^platform\.([^/]+)\/(.*)$/.exec(need) ?? [];
      return {
        file: one.file,
        path: `${one.type} ${one.name}`,
        message: `names the ${what} ${name}, which neither the workspace nor the platform has`,
      };
    });
  if (problems.length > 0) throw invalidWorkspace(problems);
}

/** Requires that the runtime can run each new or changed agent under the tenant's policy. */
async function requireRunnable(
  { control, tenantId }: WorkspaceTarget,
  { places }: DeclaredWorkspace,
  steps: readonly PlanStep[],
): Promise<void> {
  const agents = steps.flatMap((step) =>
    step.action !== "delete" && step.declared.type === agentType ? [step.declared] : [],
  );
  const problems: FileProblem[] = [];
  for (let at = 0; at < agents.length; at += checksAtOnce) {
    const checks = agents.slice(at, at + checksAtOnce).map(async ({ name, file, config }) => {
      const { problems: found } = await control.checkAgent(tenantId, config);
      const place = places.get(name)?.place ?? ((problem) => problem);
      return found.map((problem): FileProblem => ({ ...place(problem), file }));
    });
    problems.push(...(await Promise.all(checks)).flat());
  }
  if (problems.length > 0) throw invalidWorkspace(problems);
}

/** The error for a plan that isn't as it was. */
export const stalePlan = ({ hash }: WorkspacePlan): AppError =>
  new AppError(
    "conflict",
    "plan_stale",
    "The workspace or the platform has changed since the plan was made.",
    {
      details: { hint: "Make a new plan, look at it, and apply its hash.", facts: { hash } },
    },
  );

import type { ResourceChange } from "../contracts/translator/reconcile.ts";
import { fieldChanges } from "./field-changes.ts";
import { observeAll, readRecords } from "./plan-workspace.ts";
import { withRecordedSecrets } from "./secret-field.ts";
import { keyText, type WorkspaceTarget } from "./workspace-kind.ts";

/** The tenant's resources against what was last applied, whatever the files say now. */
export interface WorkspaceDrift {
  tenant: { id: string; name: string };
  drifted: boolean;
  /** Changes that would restore the last applied state. */
  changes: ResourceChange[];
}

/** Compares the platform and the gateway with the records of the last apply. */
export async function findWorkspaceDrift(target: WorkspaceTarget): Promise<WorkspaceDrift> {
  const { resources } = await target.control.readWorkspace(target.tenantId);
  const recorded = readRecords(resources).filter(({ isPending }) => !isPending);
  const present = await observeAll(target, recorded);
  const changes = recorded.flatMap((one): ResourceChange[] => {
    const presentObject = present.get(keyText(one));
    const fields = fieldChanges(presentObject && withRecordedSecrets(presentObject, one), one.config).filter(
      ({ path }) => path !== "",
    );
    if (presentObject !== undefined && fields.length === 0) return [];
    const action = presentObject === undefined ? "create" : "update";
    return [{ action, resource: one.name, resource_type: one.type, fields }];
  });
  return { tenant: { id: target.tenantId, name: target.tenantName }, drifted: changes.length > 0, changes };
}

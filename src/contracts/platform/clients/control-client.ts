import type { FetchLike } from "../../../kit/fetch/local-fetch.ts";
import type { DoctorReport, RetriedWork, RetriedWorkInput } from "../../daemon/system.ts";
import { segment } from "../../paths.ts";
import type { SignedIn } from "../auth.ts";
import type { LocalTenantList, OperatorAccount, OperatorInvitation, OperatorList } from "../control.ts";
import type { AgentCheck, WorkspaceChange, WorkspaceRecords, WorkspaceRevision } from "../workspace.ts";
import { platformCalls } from "./call-platform.ts";

/** Client for the routes that only the machine's command line may use, through the control socket. */
export function controlClient(address: { fetch: FetchLike; baseUrl: string }) {
  const { json } = platformCalls(address);
  const operatorPath = (email: string) => `/control/operators/${segment(email)}`;
  const tenantPath = (id: string) => `/control/tenants/${segment(id)}`;
  return {
    /** Checks what the platform needs, for servers without the daemon. With a daemon, its doctor includes these checks. */
    doctor: () => json<DoctorReport>("GET", "/control/doctor"),
    retryParked: (body: RetriedWorkInput) => json<RetriedWork>("POST", "/control/doctor/retry", { body }),
    listOperators: () => json<OperatorList>("GET", "/control/operators"),
    grantOperator: (email: string) => json<OperatorAccount>("PUT", operatorPath(email)),
    /** Also ends the person's sessions. */
    revokeOperator: (email: string) => json<OperatorAccount>("DELETE", operatorPath(email)),
    invite: (email: string) => json<OperatorInvitation>("PUT", `/control/invitations/${segment(email)}`),
    /** Signs in the machine's owner; creates the account if needed. */
    openOwnerSession: () => json<SignedIn>("POST", "/control/owner-session"),
    /** Returns the resources that applies of a workspace created for a tenant. */
    readWorkspace: (tenantId: string) => json<WorkspaceRecords>("GET", `${tenantPath(tenantId)}/workspace`),
    /** Throws `workspace_changed` (409) if another apply changed the records since. */
    changeWorkspace: (tenantId: string, body: WorkspaceChange) =>
      json<WorkspaceRevision>("POST", `${tenantPath(tenantId)}/workspace`, { body }),
    /** Returns the problems that a runtime would have with a tenant's manifest. */
    checkAgent: (tenantId: string, spec: object) =>
      json<AgentCheck>("POST", `${tenantPath(tenantId)}/agent-check`, { body: spec }),
    listLocalTenants: () => json<LocalTenantList>("GET", "/control/tenants"),
  };
}

export type ControlClient = ReturnType<typeof controlClient>;

import type { FetchLike } from "../../../kit/fetch/local-fetch.ts";
import type { DoctorReport } from "../../daemon/system.ts";
import type { SignedIn } from "../auth.ts";
import type { Invitation, LocalTenantList, OperatorAccount, OperatorList } from "../control.ts";
import { platformCalls, segment } from "./call-platform.ts";

/** Client for the routes that only the machine's command line may use, through the control socket. */
export function controlClient(address: { fetch: FetchLike; baseUrl: string }) {
  const { json } = platformCalls(address);
  const operatorPath = (email: string) => `/control/operators/${segment(email)}`;
  return {
    /** Checks what the platform needs, for servers without the daemon. With a daemon, its doctor includes these checks. */
    doctor: () => json<DoctorReport>("GET", "/control/doctor"),
    listOperators: () => json<OperatorList>("GET", "/control/operators"),
    grantOperator: (email: string) => json<OperatorAccount>("PUT", operatorPath(email)),
    /** Also ends the person's sessions. */
    revokeOperator: (email: string) => json<OperatorAccount>("DELETE", operatorPath(email)),
    invite: (email: string) => json<Invitation>("PUT", `/control/invitations/${segment(email)}`),
    /** Signs in the machine's owner; creates the account if needed. */
    openOwnerSession: () => json<SignedIn>("POST", "/control/owner-session"),
    listLocalTenants: () => json<LocalTenantList>("GET", "/control/tenants"),
  };
}

export type ControlClient = ReturnType<typeof controlClient>;

import type { FetchLike } from "../../kit/local-fetch.ts";
import type { DoctorReport } from "../daemon/system.ts";
import type { SignedIn } from "./auth.ts";
import { platformCalls, segment } from "./call-platform.ts";
import type { Invitation, LocalTenantList, OperatorAccount, OperatorList } from "./control.ts";

/** What only the command line of the machine may do, through the control socket. */
export function controlClient(address: { fetch: FetchLike; baseUrl: string }) {
  const { json } = platformCalls(address);
  const operatorPath = (email: string) => `/control/operators/${segment(email)}`;
  return {
    /** What the platform needs; for a server without the daemon, whose doctor looks at it as well. */
    doctor: () => json<DoctorReport>("GET", "/control/doctor"),
    listOperators: () => json<OperatorList>("GET", "/control/operators"),
    grantOperator: (email: string) => json<OperatorAccount>("PUT", operatorPath(email)),
    /** Ends the person's sessions as well. */
    revokeOperator: (email: string) => json<OperatorAccount>("DELETE", operatorPath(email)),
    invite: (email: string) => json<Invitation>("PUT", `/control/invitations/${segment(email)}`),
    /** Signs the machine's owner in; the account is made when there is none. */
    openOwnerSession: () => json<SignedIn>("POST", "/control/owner-session"),
    listLocalTenants: () => json<LocalTenantList>("GET", "/control/tenants"),
  };
}

export type ControlClient = ReturnType<typeof controlClient>;

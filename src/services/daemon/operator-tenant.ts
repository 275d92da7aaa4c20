import type { Call } from "../../http/call.ts";
import { AppError } from "../../kit/app-error.ts";

/** Tenant of all users of the daemon's own API. Tenants of the other services are invisible there. */
export const operatorTenant = "operator";

type Caller = Pick<Call, "isOwner">;

/** Returns the tenant whose runs a caller asks for. Only the owner of the machine may name one. */
export function readableTenant(call: Caller, tenant: string | undefined): string {
  if (tenant !== undefined) requireOwner(call);
  return tenant ?? operatorTenant;
}

/** Throws AppError `owners_only` for anyone but the owner of the machine: tenants' runs are invisible to others. */
export function requireOwner({ isOwner }: Caller): void {
  if (isOwner) return;
  throw new AppError(
    "forbidden",
    "owner_only",
    "Only the owner of this machine may read traces of tenants.",
    {
      details: { hint: "Open the console with the link that `argosy console` prints." },
    },
  );
}

import { AppError } from "../../../kit/app-error.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { Person } from "../auth/find-actor.ts";
import type { PlatformDeps } from "../deps.ts";
import { countAttempt, secondsLeftInMinute } from "../runs/rate-window.ts";

/** Maximum number of management writes per tenant and UTC minute, including refused ones. */
export const managementWritesMax = 120;

/** Guard for tenants' routes: counts each write and throws 429 `rate_limited` above the limit. */
export const limitTenantWrites =
  (deps: PlatformDeps) =>
  async ({ tenant, request }: { tenant: TenantActor; request: Request }): Promise<Record<string, never>> =>
    limitWrites(deps, request, tenant.tenantId);

/** Guard for people's routes, with the same limit per person, so no person can use up another's limit by naming their tenant. */
export const limitPersonWrites =
  (deps: PlatformDeps) =>
  async ({ person, request }: { person: Person; request: Request }): Promise<Record<string, never>> =>
    limitWrites(deps, request, person.userId);

async function limitWrites(
  { storage, clock }: PlatformDeps,
  { method }: Request,
  tenantId: string,
): Promise<Record<string, never>> {
  if (method === "GET" || method === "HEAD") return {};
  const now = clock.now();
  const subject = { tenantId, scope: "management" };
  const writes = await storage.transact((tx) => countAttempt(tx, storage.tables, subject, now), {
    isolation: "read committed",
  });
  if (writes <= managementWritesMax) return {};
  const message = `At most ${managementWritesMax} changes may be made in a minute.`;
  throw new AppError("rate_limited", "rate_limited", message, {
    details: { retryAfterSeconds: secondsLeftInMinute(now) },
  });
}

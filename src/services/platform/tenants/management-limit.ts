import { AppError } from "../../../kit/app-error.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { Person } from "../auth/find-actor.ts";
import { countAttempt, secondsLeftInMinute } from "../counters/rate-window.ts";
import type { StoreDeps } from "../tables.ts";

/** Maximum number of management writes per tenant and UTC minute, including refused ones. */
export const managementWritesMax = 120;

/** Guard for tenants' routes: counts each write and throws 429 `rate_limited` above the limit. */
export const limitTenantWrites =
  (deps: StoreDeps) =>
  async ({ tenant, request }: { tenant: TenantActor; request: Request }): Promise<Record<string, never>> =>
    limitWrites(deps, request, tenant.tenantId);

/** Searches of documents that a tenant may make in a UTC minute beside those of its runs. */
export const searchesMax = 120;

/** Verdicts on runs that a tenant's people, programs and users may give in a UTC minute. */
export const verdictsMax = 600;

/** For routes that judge runs. */
export const limitTenantVerdicts =
  (deps: StoreDeps) =>
  async ({ tenant: { tenantId } }: { tenant: TenantActor }): Promise<Record<string, never>> =>
    limit(deps, { tenantId, scope: "verdicts" }, verdictsMax, "verdicts on runs");

/** For routes that search a tenant's documents. */
export const limitTenantSearches =
  (deps: StoreDeps) =>
  async ({ tenant: { tenantId } }: { tenant: TenantActor }): Promise<Record<string, never>> =>
    limit(deps, { tenantId, scope: "searches" }, searchesMax, "searches");

/** Limit for routes of an account, of the same size: a person can't use up another tenant's allowance by naming it. */
export const limitPersonWrites =
  (deps: StoreDeps) =>
  async ({ person, request }: { person: Person; request: Request }): Promise<Record<string, never>> =>
    limitWrites(deps, request, person.userId);

async function limitWrites(
  deps: StoreDeps,
  { method }: Request,
  tenantId: string,
): Promise<Record<string, never>> {
  if (method === "GET" || method === "HEAD") return {};
  return limit(deps, { tenantId, scope: "management" }, managementWritesMax, "changes");
}

async function limit(
  { storage, clock }: StoreDeps,
  subject: { tenantId: string; scope: string },
  max: number,
  what: string,
): Promise<Record<string, never>> {
  const now = clock.now();
  const attempts = await storage.transact((tx) => countAttempt(tx, storage.tables, subject, now), {
    isolation: "read committed",
  });
  if (attempts <= max) return {};
  const message = `At most ${max} ${what} are allowed per minute.`;
  throw new AppError("rate_limited", "rate_limited", message, {
    details: { retryAfterSeconds: secondsLeftInMinute(now) },
  });
}

import { platformCalls } from "../../contracts/platform/clients/call-platform.ts";
import type { Actor } from "../../contracts/platform/members.ts";
import type { ServiceAddress } from "../../contracts/service-call.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import type { TenantMembers } from "../../services/gateway/auth/desk-credential.ts";

const answerMs = 10_000;

/** Asks the platform whom a credential belongs to, so that a role that is taken away ends at once. */
export const createTenantMembers = (
  platform: () => ServiceAddress | undefined,
  clock: Clock,
): TenantMembers => ({
  async find({ apiKey, authorization, tenantId }, signal) {
    const address = platform();
    if (address === undefined)
      throw new AppError("unauthorized", "unauthorized", "This request needs a valid X-Admin-Token header.");
    const headers = {
      ...address.headers,
      ...(apiKey !== undefined && { "x-api-key": apiKey }),
      ...(authorization !== undefined && { authorization }),
      ...(tenantId !== undefined && { "x-tenant-id": tenantId }),
    };
    const timedOut = () =>
      new AppError("upstream_timed_out", "platform_timed_out", "The platform did not answer.");
    const patience = startDeadline(clock, answerMs, timedOut, [signal]);
    try {
      const { json } = platformCalls({ ...address, headers });
      return await json<Actor>("GET", "/api/v1/actor", { signal: patience.signal });
    } finally {
      patience.dispose();
    }
  },
});

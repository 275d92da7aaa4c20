import type { Clock } from "../../../kit/clock.ts";
import { MinuteLimit } from "../../../kit/concurrency/minute-limit.ts";
import type { OrgActor } from "./credentials.ts";

/** Limit for the changes that an org may ask for in a minute, including refused ones. Runs have limits of their own. */
export const changesMax = 600;

export type ChangeLimit = Pick<MinuteLimit, "take">;

export const createChangeLimit = (clock: Clock): ChangeLimit => new MinuteLimit(clock, changesMax, "changes");

/** Guard for an org's routes: counts each request that changes something. Throws 429 `rate_limited`. The machine's owner has no limit. */
export const limitChanges =
  ({ changes }: { changes: ChangeLimit }) =>
  ({ actor, request }: { actor: OrgActor; request: Request }): Record<string, never> => {
    const isChange = request.method !== "GET" && request.method !== "HEAD";
    if (isChange && actor.proof.by !== "machine") changes.take(actor.org.id);
    return {};
  };

import type { RuntimeApproval } from "../../../contracts/runtime/runs.ts";
import { openText, sealText } from "../../../storage/sealed-text.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import type { PlatformApprovalRow } from "./schema.ts";

/** Time limit for a person's decision. */
export const waitMs = 24 * 60 * 60 * 1000;

/** The call that a run waits for, as stored. */
export interface AskedApproval {
  id: string;
  /** Sealed call as JSON. */
  asked: string;
}

/** Undefined if no keys are configured. */
export type Sealing = { sealer: Sealer | undefined };

type Whose = { tenantId: string; id: string };

/** Seals the runtime's request for approval. */
export function askedApproval({ sealer }: Sealing, whose: Whose, call: RuntimeApproval): AskedApproval {
  return { id: whose.id, asked: sealText(sealer, JSON.stringify(call), contextOf(whose)) };
}

/** Opens the sealed request. */
export function openAsked({ sealer }: Sealing, row: PlatformApprovalRow): RuntimeApproval {
  return JSON.parse(openText(sealer, row.asked, contextOf(row)));
}

/** Stores the approval request of a run that pauses. */
export async function recordApproval(
  tx: Query,
  { approvals }: PlatformTables,
  run: { tenantId: string; id: string; agentName: string; sessionId: string },
  { id, asked, reach }: AskedApproval & { reach: Record<string, unknown> },
  now: Date,
): Promise<void> {
  const { tenantId, id: invocationId, agentName, sessionId } = run;
  await tx.insert(approvals).values({
    tenantId,
    id,
    invocationId,
    agentName,
    sessionId,
    asked,
    reach,
    status: "pending",
    comment: null,
    decidedBy: null,
    createdAt: now,
    expiresAt: new Date(now.getTime() + waitMs),
    decidedAt: null,
  });
}

const contextOf = ({ tenantId, id }: Whose) => ({
  purpose: "platform approval",
  tenant: tenantId,
  name: id,
});

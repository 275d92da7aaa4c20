import { and, desc, eq, gt } from "drizzle-orm";
import type { Question } from "../../../contracts/daemon/questions/question.ts";
import type { PausedRuns } from "./paused-runs.ts";

/** Paused runs of a conversation that are looked at: a question waits alone, beside calls that wait for approval. */
const lookedAtMax = 20;

/** The newest question of a server that waits for an answer in a conversation with an agent. */
export async function findOpenQuestion(
  { storage, vault, clock }: Pick<PausedRuns, "storage" | "vault" | "clock">,
  tenant: string,
  { agent, sessionId }: { agent: string; sessionId: string },
): Promise<{ id: string; question: Question } | undefined> {
  const { approvals } = storage.tables;
  const rows = await storage.read
    .select()
    .from(approvals)
    .where(
      and(
        eq(approvals.tenant, tenant),
        eq(approvals.agent, agent),
        eq(approvals.sessionId, sessionId),
        eq(approvals.kind, "approval"),
        eq(approvals.status, "pending"),
        gt(approvals.expiresAt, clock.now()),
      ),
    )
    .orderBy(desc(approvals.createdAt), desc(approvals.id))
    .limit(lookedAtMax);
  for (const row of rows) {
    const question = vault.open("asked", row)?.question;
    if (question !== undefined) return { id: row.id, question };
  }
  return undefined;
}

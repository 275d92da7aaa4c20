import { sql } from "drizzle-orm";
import type { MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import { isBoundTry, tryOf } from "../../../channels/inbox/claim-events.ts";
import { leaseLost } from "../../../channels/inbox/close-event.ts";
import type { Processed } from "../../../channels/inbox/inbound-worker.ts";
import { runImages } from "../../../channels/media/run-images.ts";
import { traceIdOf, traceParentOf } from "../../../kit/trace-parent.ts";
import { boundValue, statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import { openAccount } from "../accounts/credentials.ts";
import type { AgentQuestion } from "../bindings/agent-check.ts";
import { changeOf } from "../inbound/receive-delivery.ts";
import type { InboundRow, MessageRow, RunPlan } from "../inbound/schema.ts";
import type { GatewayTables } from "../tables.ts";
import type { RunAnswer } from "./agent-runs.ts";
import { type Ending, finishMessage } from "./finish-message.ts";
import { judgeRun } from "./judge-run.ts";
import { type OpenedMessage, openMessage } from "./open-message.ts";
import type { ProcessPorts } from "./process-event.ts";
import { routeOf } from "./reply-parts.ts";
import { runPlan } from "./run-request.ts";

/** Wait of a message whose answer would find no room in the outbox. Thousands may wait, so they are spread. */
const fullWaitMs = 60_000;
/** Wait of a message whose session the platform still forgets. */
const forgottenWaitMs = 5_000;

/**
 * Answers a message by its agent. The run request is stored before the platform is called, and each try calls it under the same key: after
 * a crash the platform answers with the run that it has.
 */
export async function answerMessage(
  ports: ProcessPorts,
  given: MessageRow,
  signal: AbortSignal,
): Promise<Processed> {
  const { row } = given;
  const opening = await openMessage(ports, row, given.event);
  const conversationId = "opened" in opening ? opening.opened.conversation.id : opening.conversationId;
  const known = { ...row, conversationId: conversationId ?? null };
  if (row.conversationId === null && conversationId !== undefined) {
    ports.feed.publish({ ...changeOf(known, "received"), about: "conversation", change: "message" });
  }
  if ("outcome" in opening) {
    if (opening.outcome === "forwarded") ports.bell.ring();
    ports.feed.publish(changeOf(known, "closed"));
    return { type: "closed", outcome: opening.outcome };
  }
  if ("outboxIsFull" in opening) {
    return { type: "later", waitMs: Math.round(fullWaitMs * (0.8 + 0.4 * ports.random())) };
  }
  if ("isBeingForgotten" in opening) return { type: "later", waitMs: forgottenWaitMs };
  if ("waitsForMs" in opening) return { type: "later", waitMs: opening.waitsForMs };
  const { opened } = opening;
  const { event } = opened;
  const message = { row, event };
  const { account, conversation, binding } = opened;
  if (row.plan === null) ports.marks.begun({ account, event });
  ports.feed.publish(changeOf(known, "running"));
  let plan = opened.plan ?? (await planWithImages(ports, message, opened, signal));
  const finish = async (ending: Ending): Promise<Processed> => {
    const outcome = await finishMessage(ports, message, conversation.id, ending);
    return { type: "closed", outcome };
  };
  for (;;) {
    const verdict = judgeRun(
      plan,
      await callPlatform(ports, row, opened, plan, signal),
      binding.entryAgent,
      ports.clock.now(),
    );
    switch (verdict.type) {
      case "answer": {
        const { result } = verdict;
        const { text, opens, handoffAgent, takeover } = routeOf(result);
        const isSilent = text.trim() === "";
        return finish({
          outcome: isSilent ? "silent" : "answered",
          text,
          format: opened.config.format ?? "markdown",
          run: { agent: plan.agent, status: "ok", invocationId: result.invocation_id },
          told: plan.told ?? [],
          needs: takeover,
          asksContact: asksContact(opened, event),
          // An agent that was gone is replaced for good.
          serving: { agent: plan.agent, opens, handoffAgent: handoffAgent ?? keptHandoff(opened, plan) },
        });
      }
      case "later": {
        const { waitMs, plan: next, isAside } = verdict;
        return { type: "later", waitMs, change: { plan: next, ...(isAside && { lane: `aside:${row.id}` }) } };
      }
      case "replace":
        plan = verdict.plan;
        await keepPlan(ports, row, plan);
        break;
      case "failed": {
        const { code } = verdict;
        ports.log.warn("inbound.run_failed", {
          event: row.id,
          trace_id: traceIdOf(row.id),
          agent: plan.agent,
          code,
        });
        const text = binding.fallbackMessage;
        const run = { agent: plan.agent, status: verdict.code };
        const needs = opened.config.takeover_on_failure === true ? `run_failed: ${code}` : undefined;
        return finish({ outcome: text.trim() === "" ? "failed" : "fallback", text, run, needs });
      }
    }
  }
}

/** Downloads the images of a message, and stores its run with them; of a tenant that may store no more, they are only named. */
async function planWithImages(
  ports: ProcessPorts,
  { row, event }: MessageRow,
  opened: OpenedMessage,
  signal: AbortSignal,
): Promise<RunPlan> {
  const isFull = await ports.storageRoom.isFull(ports.storage.read, row.tenantId);
  const images = isFull
    ? "unavailable"
    : await runImages(ports.media, openAccount(ports.sealer, opened.account), event, signal);
  const plan = runPlan(row, event, opened, images, ports.clock.now());
  await keepPlan(ports, row, plan);
  return plan;
}

async function keepPlan({ storage }: ProcessPorts, row: InboundRow, plan: RunPlan): Promise<void> {
  const kept = await storage.transact(
    (tx) => planUpdate(tx, storage.tables).execute({ ...tryOf(row), plan }),
    {
      isolation: "read committed",
    },
  );
  if (kept.length === 0) throw leaseLost();
}

const planUpdate = statement((tx: Query, tables: GatewayTables) => {
  const { inbound } = tables;
  return tx
    .update(inbound)
    .set({ plan: sql`${boundValue(inbound.plan, "plan")}` })
    .where(isBoundTry(tables))
    .returning({ id: inbound.id })
    .prepare("keep_plan");
});

async function callPlatform(
  ports: ProcessPorts,
  row: InboundRow,
  { config }: OpenedMessage,
  { agent, request }: RunPlan,
  signal: AbortSignal,
): Promise<RunAnswer> {
  // A message that is answered again, because a person held back its first answer, is another run.
  const again = row.invocationId === null ? "" : `:${row.invocationId}`;
  const idempotencyKey = `${row.channel}:${row.id}${again}`;
  const apiKey = config.platform_api_key;
  await learnOwner(ports, row.tenantId, { agent, apiKey }, signal);
  return ports.runs.run(
    { agent, apiKey, request, idempotencyKey, traceparent: traceParentOf(row.id) },
    signal,
  );
}

/** Asks the platform once who is behind a tenant. What it doesn't say leaves the tenant its own owner. */
async function learnOwner(
  { agents, tenantOwners }: ProcessPorts,
  tenantId: string,
  question: AgentQuestion,
  signal: AbortSignal,
): Promise<void> {
  if (tenantOwners.isTold(tenantId)) return;
  const owner = await agents.ownerOf(question, signal).catch(() => undefined);
  signal.throwIfAborted();
  tenantOwners.told(tenantId, owner ?? tenantId);
}

/** The conversation stays with the agent that it was handed to. */
const keptHandoff = ({ conversation }: OpenedMessage, { agent }: RunPlan): string | undefined =>
  conversation.handoffAgent !== null && agent === conversation.handoffAgent ? agent : undefined;

/** A bot's user who has not shared their number in this private chat is offered the button for it. */
const asksContact = ({ config, senderPhone }: OpenedMessage, { conversation }: MessageEvent): boolean =>
  config.pedir_contacto === true && !conversation.isGroup && senderPhone === undefined;

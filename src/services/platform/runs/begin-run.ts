import { randomBytes } from "node:crypto";
import type { PlatformRunRequest } from "../../../contracts/platform/runs.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { credentialDigest } from "../auth/credential-digest.ts";
import type { TenantActor } from "../auth/credentials.ts";
import { readConnections } from "../connections/read-connections.ts";
import type { PlatformDeps } from "../deps.ts";
import type { RunAttempt } from "./admission.ts";
import { admitInvocation } from "./admit-invocation.ts";
import { getLiveAgent, type LiveAgent } from "./find-live-agent.ts";
import type { BegunRun } from "./perform-run.ts";
import type { Registrations } from "./registrations.ts";

/** What somebody asks of an agent. */
export interface RunCall extends PlatformRunRequest {
  tenant: TenantActor;
  agentName: string;
  idempotencyKey: string | undefined;
  /** Whether tokens are wanted as they come. */
  stream: boolean;
  cancelledBy: readonly AbortSignal[];
}

/** A run that may begin, or the one that the caller's key belongs to. */
export type Beginning = { kind: "begun"; run: BegunRun } | { kind: "replay"; invocationId: string };

const idempotencyKeyLengthMax = 255;
const contextBytesMax = 64 * 1024;
const queryBytesMax = 256 * 1024;

/**
 * Takes a run up to where it is on record and may begin. Everything that can refuse it comes here: 404 for the agent, 502 when it
 * can't be loaded, the admission's own refusals, and 503 when it can't be recorded: then nothing is run.
 */
export async function beginRun(
  deps: PlatformDeps,
  registrations: Registrations,
  call: RunCall,
): Promise<Beginning> {
  const { tenantId } = call.tenant;
  requireSound(call);
  const agent = await getLiveAgent(deps.storage, tenantId, call.agentName);
  const ready = await registrations.ready(agent);
  const connections = await readConnections(deps, tenantId);
  const runToken = randomBytes(32).toString("base64url");
  const attempt = attemptOf(deps, call, agent, ready.candidates, runToken);
  const verdict = await admitInvocation(deps.storage, attempt).catch((thrown) => {
    throw unrecorded(thrown);
  });
  switch (verdict.kind) {
    case "rejected":
      throw verdict.refusal;
    case "replay":
      return verdict;
    case "admitted":
      return {
        kind: "begun",
        run: {
          tenantId,
          invocationId: attempt.invocationId,
          runtimeName: ready.runtimeName,
          sessionId: attempt.sessionId,
          query: call.query,
          context: call.context ?? {},
          checksum: agent.checksum,
          stream: call.stream,
          connections,
          runToken,
          admitted: verdict.run,
          cancelledBy: [...call.cancelledBy, deps.stopping],
        },
      };
  }
}

function attemptOf(
  { newId, clock, owner, settings }: PlatformDeps,
  call: RunCall,
  { id, name, version, subscriptionId }: LiveAgent,
  candidates: RunAttempt["candidates"],
  runToken: string,
): RunAttempt {
  const invocationId = newId();
  const { query, session_id, context = {}, idempotencyKey: key } = call;
  return {
    tenantId: call.tenant.tenantId,
    invocationId,
    agent: { id, name, version, subscriptionId },
    sessionId: session_id ?? newId(),
    candidates,
    idempotency:
      key === undefined
        ? undefined
        : { key, bodyHash: credentialDigest(JSON.stringify([name, query, session_id ?? null, context])) },
    runToken: { hash: credentialDigest(runToken), reach: reachOf(context) },
    owner,
    now: clock.now(),
    timeoutMs: settings.runTimeoutMs,
  };
}

/** Where the run's agent may send messages unless its tool entry says otherwise: to the conversation that it answers. */
function reachOf(context: Record<string, unknown>): Record<string, unknown> {
  const { channel, sender, conversation_ref } = context;
  return { channel, sender, conversation_ref };
}

function requireSound({ query, context = {}, idempotencyKey }: RunCall): void {
  if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw invalidField("Idempotency-Key", `must be 1 to ${idempotencyKeyLengthMax} visible ASCII characters`);
  }
  const reserved = Object.keys(context).find((key) => key.startsWith("_"));
  if (reserved !== undefined) {
    throw invalidField(`context.${reserved}`, "is reserved: keys may not start with `_`");
  }
  if (Buffer.byteLength(JSON.stringify(context)) > contextBytesMax) {
    throw invalidField("context", "must be at most 64 KiB");
  }
  if (Buffer.byteLength(query) > queryBytesMax) throw invalidField("query", "must be at most 256 KiB");
}

function invalidField(path: string, message: string): AppError {
  return new AppError("invalid", "invalid_request", `The request is not valid: ${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
}

/** What the caller did keeps its status; whatever kept the run from being recorded is 503. */
function unrecorded(thrown: unknown): AppError {
  const error = toAppError(thrown);
  if (error.status < 500) return error;
  if (error.code === "limits_unresolved") return error;
  return new AppError("unavailable", "run_unrecorded", "The run could not be recorded and was not started.", {
    cause: thrown,
    details: { retryAfterSeconds: 2 },
  });
}

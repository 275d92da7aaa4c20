import { randomBytes } from "node:crypto";
import { usualSource } from "../../../../contracts/daemon/runs/run-sources.ts";
import type { PlatformRunRequest } from "../../../../contracts/platform/runs/runs.ts";
import type { RuntimeRun } from "../../../../contracts/runtime/runs.ts";
import { pushedFrames } from "../../../../control-plane/runs/runtime-frames.ts";
import { contextProblem, queryProblem, turnsProblem } from "../../../../http/bodies/run-body.ts";
import { requireIdempotencyKey } from "../../../../http/idempotency-key.ts";
import { AppError, type Problem, toAppError } from "../../../../kit/app-error.ts";
import { credentialDigest } from "../../../../kit/credential-digest.ts";
import { canonicalJson } from "../../../../kit/json/canonical-json.ts";
import { fieldsOf } from "../../../../kit/json/is-record.ts";
import { type TraceParent, traceParentOf } from "../../../../kit/trace-parent.ts";
import { getLiveAgent, type LiveAgent } from "../../agents/find-live-agent.ts";
import type { ReadyAgent, Registrations } from "../../agents/registrations.ts";
import type { TenantActor } from "../../auth/credentials.ts";
import { readConnections } from "../../connections/read-connections.ts";
import { tenantOwner } from "../../tenants/tenant-owner.ts";
import type { TenantRunDeps } from "../deps.ts";
import { type AskedRun, sealAsked } from "../durable/asked-run.ts";
import { findUsedKey } from "../idempotency/idempotency-keys.ts";
import type { BegunRun } from "../perform-run.ts";
import type { AdmissionVerdict, RunAttempt } from "./admission.ts";
import { admitInvocation } from "./admit-invocation.ts";
import { runLimits } from "./run-limits.ts";

/** A caller's request to run an agent. */
export interface RunCall extends PlatformRunRequest {
  tenant: TenantActor;
  agentName: string;
  idempotencyKey: string | undefined;
  /** Trace that the caller's request belongs to. */
  trace?: TraceParent | undefined;
  /** True if the caller wants the tokens as they arrive. */
  stream: boolean;
  cancelledBy: readonly AbortSignal[];
  /** For a run of an eval: the results of its tools, and what it stores. */
  trial?: Pick<RuntimeRun, "tool_stubs" | "remember">;
}

/** The version that a run asks. */
export interface AskedVersion {
  agent: LiveAgent;
  ready: ReadyAgent;
  /** Registers it again, because the runtime has lost it. */
  pushAgain: () => Promise<unknown>;
}

/** A run that may begin, or the earlier run of the caller's key. */
export type Beginning = { kind: "begun"; run: BegunRun } | { kind: "replay"; invocationId: string };

/**
 * Prepares a run until it is stored and may begin. Every refusal happens here: 404 for the agent, 502 if it can't be loaded, and the
 * admission's refusals. If the run can't be stored, throws 503, and the run does not begin.
 */
export async function beginRun(
  deps: TenantRunDeps,
  registrations: Registrations,
  call: RunCall,
): Promise<Beginning> {
  requireSound(call);
  const agent = await getLiveAgent(deps.storage, call.tenant.tenantId, call.agentName);
  const key = keyOf(call);
  // A repeated key gets the same answer, even if the runtime is down.
  const used = key && (await findUsedKey(deps, agent, key));
  if (used !== undefined) return { kind: "replay", invocationId: used };
  const ready = await registrations.ready(agent);
  return beginWith(deps, { agent, ready, pushAgain: () => registrations.pushAgain(agent) }, call, key);
}

/** Like `beginRun`, with a version that the caller has found. */
export async function beginWith(
  deps: TenantRunDeps,
  { agent, ready, pushAgain }: AskedVersion,
  call: RunCall,
  key?: RunAttempt["idempotency"],
): Promise<Beginning> {
  const attempt = attemptOf(deps, call, agent, ready.candidates, key);
  const { token, hash } = newRunToken();
  const asked = askedOf(call, attempt.invocationId);
  const isDurable = deps.settings.durable && mayContinue(call);
  const runToken = {
    hash,
    reach: runReach(agent.spec, call.context ?? {}),
    request: isDurable ? sealAsked(deps, attempt, asked) : null,
  };
  const verdict = await recordedAdmission(deps, { ...attempt, runToken });
  deps.metrics.admission(verdict);
  if (verdict.kind === "rejected") throw verdict.refusal;
  if (verdict.kind === "replay") return verdict;
  const { tenantId, invocationId, sessionId } = attempt;
  const frames = async function* () {
    const runtimeRun = {
      ...asked,
      run_id: invocationId,
      checksum: agent.checksum,
      session_id: sessionId,
      stream: call.stream,
      ...(isDurable && { durable: "begin" as const }),
      owner: await tenantOwner(deps, tenantId),
      connections: await readConnections(deps, tenantId),
      ...call.trial,
      run_token: token,
      limits: runLimits(verdict.run, deps.settings),
    };
    const start = () => deps.runtime.run(ready.runtimeName, runtimeRun);
    yield* pushedFrames(start, pushAgain);
  };
  const { cancelledBy, stream: isStreamed } = call;
  const isKeyed = key !== undefined;
  const run = {
    tenantId,
    invocationId,
    sessionId,
    admitted: verdict.run,
    isKeyed,
    isStreamed,
    isDurable,
    frames,
  };
  return { kind: "begun", run: { ...run, cancelledBy } };
}

/** Admits or refuses a run while this process is alive for all others. Any failure to store that becomes 503, and the run does not begin. */
export async function recordedAdmission(
  { storage, life }: Pick<TenantRunDeps, "storage" | "life">,
  attempt: RunAttempt,
): Promise<AdmissionVerdict> {
  try {
    await life.ensure();
    return await admitInvocation(storage, attempt);
  } catch (thrown) {
    throw unrecorded(thrown);
  }
}

/** Creates a token for the run, and the digest of it to store. */
export function newRunToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: credentialDigest(token) };
}

/** Somebody may come back for the answer of a run with a key, and for the conversation of a run with a session. */
function mayContinue({ idempotencyKey, session_id, trial }: RunCall): boolean {
  return trial === undefined && (idempotencyKey !== undefined || session_id !== undefined);
}

function askedOf(call: RunCall, invocationId: string): AskedRun {
  const { query, context = {}, images, turns, trace_content, remember, source } = call;
  return {
    query,
    context,
    ...(images !== undefined && { images }),
    ...(turns !== undefined && { turns }),
    ...(trace_content !== undefined && { trace_content }),
    ...(remember !== undefined && { remember }),
    ...(source !== undefined && { source }),
    traceparent: traceParentOf(invocationId, call.trace?.traceId),
  };
}

function keyOf({
  idempotencyKey: key,
  agentName,
  query,
  session_id,
  context = {},
  images,
  remember,
  turns,
}: RunCall) {
  if (key === undefined) return undefined;
  const said = [agentName, query, session_id ?? null, context];
  const more = [images, remember, turns].filter((field) => field !== undefined);
  const asked = canonicalJson([...said, ...more]);
  return { key, bodyHash: credentialDigest(asked) };
}

function attemptOf(
  { newId, clock, owner, settings }: TenantRunDeps,
  { tenant, session_id, source }: RunCall,
  { id, name, version, subscriptionId }: LiveAgent,
  candidates: RunAttempt["candidates"],
  idempotency: RunAttempt["idempotency"],
): RunAttempt {
  return {
    tenantId: tenant.tenantId,
    invocationId: newId(),
    agent: { id, name, version, subscriptionId },
    sessionId: session_id ?? newId(),
    caller: tenant.author,
    source: source === undefined || source === usualSource ? null : source,
    candidates,
    needsTariffs: !settings.allowUnpriced,
    idempotency,
    runToken: undefined,
    owner,
    now: clock.now(),
    timeoutMs: settings.runTimeoutMs,
  };
}

/** Throws 400 `invalid_request` for a question, a context, turns or a key that no run takes. */
export function requireSound({ query, context = {}, turns, idempotencyKey }: RunCall): void {
  requireIdempotencyKey(idempotencyKey);
  const problem = contextProblem(context) ?? queryProblem(query) ?? turnsProblem(turns);
  if (problem !== undefined) throw invalidField(problem);
}

function invalidField(problem: Problem): AppError {
  const { path, message } = problem;
  return new AppError("invalid", "invalid_request", `The request is not valid: ${path} ${message}.`, {
    details: { problems: [problem] },
  });
}

/** Keeps the status of the caller's errors. All other failures to store the run become 503. */
function unrecorded(thrown: unknown): AppError {
  const error = toAppError(thrown);
  if (error.status < 500) return error;
  if (error.code === "limits_unresolved" || error.code === "disk_reserved") return error;
  return new AppError("unavailable", "run_unrecorded", "The run could not be recorded and was not started.", {
    cause: thrown,
    details: { retryAfterSeconds: 2 },
  });
}

/** Returns where a run's agent may send messages: the conversation that it answers, and the recipients in its tool entry. */
function runReach(
  spec: Record<string, unknown>,
  { channel, sender, conversation_ref }: Record<string, unknown>,
): Record<string, unknown> {
  return { channel, sender, conversation_ref, recipients: listedRecipients(spec) };
}

function listedRecipients(manifest: Record<string, unknown>): unknown[] {
  const tools = fieldsOf(manifest.spec).tools;
  if (!Array.isArray(tools)) return [];
  return tools.map(fieldsOf).flatMap(({ type, config }) => {
    const { recipients } = fieldsOf(config);
    return type === "internal" && Array.isArray(recipients) ? recipients : [];
  });
}

import type { RuntimeCatalog } from "../../../contracts/runtime/catalog.ts";
import type { StoredBytes } from "../../../contracts/runtime/stored.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import type { RunMessage } from "../../../engine/tools/run-means.ts";
import type { Problem } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import type { KnownOwners } from "../../../kit/concurrency/known-owners.ts";
import type { Logger } from "../../../kit/log.ts";
import type { KeySecrets } from "../../../kit/secrets/key-secrets.ts";
import type { SecretRegistry } from "../../../kit/secrets/secret-registry.ts";
import type { DurableRuns } from "../durable-runs/durable-runs.ts";
import type { PausedRuns } from "../paused-runs/paused-runs.ts";
import type { DaemonRag } from "../rag/daemon-rag.ts";
import type { BackgroundPools } from "../runs/background-pools.ts";
import type { TraceArchive } from "../traces/trace-archive.ts";
import type { LateUsage } from "./late-usage.ts";
import type { RunCancels } from "./run-cancels.ts";
import type { TenantAgents } from "./tenant-agents.ts";

/** Passes a message of a run to the service that stores the tenants. `token` is the run's, `traceparent` its trace. */
export type SendRunMessage = (
  token: string,
  message: RunMessage,
  signal: AbortSignal,
  traceparent: string | undefined,
) => Promise<{ message_id: string; status: string }>;

/** Parts that the runs of one tenant share. */
export interface RunsOfTenant {
  /** Secrets in its manifests. */
  secrets: SecretRegistry;
  keySecrets: KeySecrets;
  /** The log with the tenant's id. */
  log: Logger;
}

/** Dependencies of tenants' runs. */
export interface RuntimeDeps {
  version: string;
  clock: Clock;
  log: Logger;
  gate: AdmissionGate;
  pools: BackgroundPools;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
  agents: TenantAgents;
  owners: KnownOwners;
  cancels: RunCancels;
  lateUsage: LateUsage;
  /** Returns the problems that prevent a tenant's manifest from running. */
  check(tenant: string, spec: unknown, keys: "own" | undefined): Promise<Problem[]>;
  /** Returns the agent with models that call their providers with these keys, for one run. */
  withKeys(tenant: string, agent: RunnableAgent, keys: Readonly<Record<string, string>>): RunnableAgent;
  /** Ports of tenants' runs, separate from those of the daemon's own callers. */
  runs: RunPorts;
  /** Returns what the runs of a tenant share. */
  sharedBy(tenant: string): RunsOfTenant;
  /** Undefined without sealing keys. In that case no agent is loaded that could need it. */
  approvals: PausedRuns | undefined;
  durable: DurableRuns;
  /** Returns undefined if no service sends messages. */
  sendMessage(): SendRunMessage | undefined;
  /** Deletes all stored data of an agent. */
  forget(tenant: string, agentId: string, name: string): Promise<void>;
  /** Deletes what an agent remembers of a session. */
  forgetSession(key: { tenant: string; agent: string; sessionId: string }): Promise<void>;
  /** Deletes the traces of a session's runs, with the verdicts on them, and the calls that they waited for. */
  forgetRuns(tenant: string, sessionId: string): Promise<void>;
  /** Bytes that tenants store here. */
  stored(owners: readonly string[]): Promise<StoredBytes["stored"]>;
  catalog(): RuntimeCatalog;
  /** Traces of tenants' runs, with the verdicts on them. */
  traces: Pick<TraceArchive, "find" | "texts" | "judge" | "judgeByUsers" | "unjudge" | "forgetSession">;
  /** Collections and documents, as tenants use them. */
  documents: DaemonRag;
}

import type { RuntimeCatalog } from "../../../contracts/runtime/catalog.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import type { RunMessage } from "../../../engine/run/run-means.ts";
import type { AdmissionGate } from "../../../kit/admission-gate.ts";
import type { Problem } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { SecretRegistry } from "../../../kit/secret-registry.ts";
import type { ApprovalDesk } from "../approvals/approval-desk.ts";
import type { DaemonRag } from "../rag/daemon-rag.ts";
import type { RunCancels } from "./run-cancels.ts";
import type { TenantAgents } from "./tenant-agents.ts";

/** Hands a message of a run to whoever stores the tenants; `token` is the run's. */
export type SendRunMessage = (
  token: string,
  message: RunMessage,
  signal: AbortSignal,
) => Promise<{ message_id: string; status: string }>;

/** Everything that tenants' runs may touch. */
export interface RuntimeDeps {
  version: string;
  clock: Clock;
  log: Logger;
  gate: AdmissionGate;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
  agents: TenantAgents;
  cancels: RunCancels;
  /** What keeps a manifest of a tenant from running. */
  check(tenant: string, spec: unknown): Problem[];
  /** What runs of tenants use: nothing of it is seen by the daemon's own callers. */
  runs: RunPorts;
  /** The secrets of a tenant's manifests. */
  secretsOf(tenant: string): SecretRegistry;
  /** Undefined without sealing keys: then no agent is loaded that could need it. */
  approvals: ApprovalDesk | undefined;
  /** Undefined while nobody sends messages. */
  sendMessage(): SendRunMessage | undefined;
  /** Removes all that is remembered of an agent. */
  forget(tenant: string, agentId: string, name: string): Promise<void>;
  catalog(): RuntimeCatalog;
  /** Collections and documents, as tenants use them. */
  documents: DaemonRag;
}

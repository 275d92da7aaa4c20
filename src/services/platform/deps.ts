import type { RuntimeClient } from "../../contracts/runtime/client.ts";
import type { KeyUses } from "../../control-plane/keys/key-uses.ts";
import type { AgentDeps } from "./agents/deps.ts";
import type { AccessTokens } from "./auth/access-tokens.ts";
import type { AuthDeps } from "./auth/deps.ts";
import type { CollectionDeps } from "./collections/deps.ts";
import type { EvalDeps } from "./evals/deps.ts";
import type { InvoiceDeps } from "./invoices/routes.ts";
import type { GatewaySender } from "./messages/routes.ts";
import type { PlatformMetrics } from "./metrics/platform-metrics.ts";
import type { LinkMailPorts } from "./notices/link-mail.ts";
import type { NoticePorts } from "./notices/notice-sender.ts";
import type { GatewayStorageLimits } from "./room/note-elsewhere.ts";
import type { TenantRunDeps } from "./runs/deps.ts";
import type { ModelDeps } from "./tariffs/list-models.ts";

/** Dependencies of the whole platform. Each folder takes its own part. */
export interface PlatformDeps
  extends AuthDeps,
    AgentDeps,
    CollectionDeps,
    TenantRunDeps,
    EvalDeps,
    InvoiceDeps,
    LinkMailPorts,
    ModelDeps,
    NoticePorts {
  version: string;
  tokens: AccessTokens;
  keyUses: KeyUses;
  runtime: RuntimeClient;
  settings: PlatformSettings;
  metrics: PlatformMetrics;
  /** Undefined without a gateway; the message routes are then omitted. */
  messages: GatewaySender | undefined;
  /** Undefined without a gateway. */
  gatewayStorage: GatewayStorageLimits | undefined;
}

/** `spec.platform` of runtime.yaml, with defaults applied. */
export type PlatformSettings = AuthDeps["settings"] & TenantRunDeps["settings"];

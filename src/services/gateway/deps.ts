import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { Random } from "../../kit/retry.ts";
import type { Sealer } from "../../storage/sealing/seal.ts";
import type { WebhookRegistrar } from "./accounts/save-account.ts";
import type { GatewayCredentials } from "./auth/credentials.ts";
import type { AgentCheck } from "./bindings/agent-check.ts";
import type { EmulatorRing } from "./emulator/emulator-ring.ts";
import type { GatewayMetrics } from "./metrics/gateway-metrics.ts";
import type { MessageSender } from "./outbox/message-sender.ts";
import type { OutboxBell } from "./outbox/outbox-bell.ts";
import type { GatewayStorage } from "./tables.ts";
import type { WebchatParts } from "./webchat/webchat-parts.ts";

/** Dependencies of the whole gateway. Each noun takes its own part. */
export interface GatewayDeps {
  version: string;
  clock: Clock;
  newId: NewId;
  random: Random;
  log: Logger;
  storage: GatewayStorage;
  /** Undefined if no keys are configured. */
  sealer: Sealer | undefined;
  credentials: GatewayCredentials;
  webhooks: WebhookRegistrar;
  agents: AgentCheck;
  sender: MessageSender;
  bell: OutboxBell;
  /** Messages of emulated accounts. */
  emulated: EmulatorRing;
  /** True if the emulator's routes exist. */
  withEmulator: boolean;
  allowsHttpCallbacks: boolean;
  /** Undefined if the web chat is off: its routes don't exist. */
  webchat: WebchatParts | undefined;
  metrics: GatewayMetrics;
  /** Id of this process in leases. */
  owner: string;
}

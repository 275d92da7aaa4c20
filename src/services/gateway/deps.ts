import type { InboundMetrics } from "../../channels/inbox/inbound-metrics.ts";
import type { MediaSource } from "../../channels/media/media-source.ts";
import type { MessageSender } from "../../channels/outbox/message-sender.ts";
import type { OutboxBell } from "../../channels/outbox/outbox-bell.ts";
import type { OutboxLedger } from "../../channels/outbox/settle-messages.ts";
import type { TemplateSource } from "../../channels/templates/provider-templates.ts";
import type { Clock } from "../../kit/clock.ts";
import type { BackgroundGate } from "../../kit/concurrency/background-gate.ts";
import type { KnownOwners } from "../../kit/concurrency/known-owners.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { Random } from "../../kit/retry.ts";
import type { Sealer } from "../../storage/sealing/seal.ts";
import type { WebhookRegistrar } from "./accounts/save-account.ts";
import type { GatewayCredentials } from "./auth/credentials.ts";
import type { TenantMembers } from "./auth/desk-credential.ts";
import type { BindingCheck } from "./bindings/agent-check.ts";
import type { AgentSessions } from "./contacts/agent-sessions.ts";
import type { EmulatorRing } from "./emulator/emulator-ring.ts";
import type { EventFeed } from "./events/event-feed.ts";
import type { InboundRoom } from "./inbound/inbound-room.ts";
import type { WebhookSecrets } from "./inbound/webhook-secrets.ts";
import type { FileLinks } from "./media/file-links.ts";
import type { GatewayMetrics } from "./metrics/gateway-metrics.ts";
import type { OutboxRoom } from "./outbox/outbox-room.ts";
import type { AccountNames } from "./processing/addressed-account.ts";
import type { AgentRuns } from "./processing/agent-runs.ts";
import type { MessageMarks } from "./processing/message-marks.ts";
import type { RunVerdicts } from "./processing/run-verdicts.ts";
import type { StorageRoom } from "./room/storage-room.ts";
import type { GatewayStorage } from "./tables.ts";
import type { TemplateTexts } from "./templates/template-texts.ts";
import type { Transcriber } from "./transcripts/transcribe.ts";
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
  /** The people and keys that may be the desk of their tenants. */
  members: TenantMembers;
  webhooks: WebhookRegistrar;
  agents: BindingCheck;
  sender: MessageSender;
  /** Keeps the changes of the outbox. */
  ledger: OutboxLedger;
  bell: OutboxBell;
  /** Bounds the messages that wait to be sent. */
  room: OutboxRoom;
  /** Bounds what is kept for a tenant. */
  storageRoom: StorageRoom;
  /** Bytes of a tenant whose limit the platform didn't tell. */
  storageBytes: number;
  /** Accounts that a tenant may have. */
  accountsMax: number;
  /** Messages of emulated accounts. */
  emulated: EmulatorRing;
  /** True if the emulator's routes exist. */
  withEmulator: boolean;
  /** External ids of accounts that are emulated by the operator's settings. The first is the emulator's default. */
  emulatedIds: readonly string[];
  allowsHttpCallbacks: boolean;
  /** Address of the gateway as providers see it. */
  publicBaseUrl: string | undefined;
  /** Tells operators' open pages what changed. */
  feed: EventFeed;
  /** Undefined if the web chat is off: its routes don't exist. */
  webchat: WebchatParts | undefined;
  webhookSecrets: WebhookSecrets;
  runs: AgentRuns;
  sessions: AgentSessions;
  verdicts: RunVerdicts;
  media: MediaSource;
  /** Undefined: voice messages are not transcribed. */
  transcriber: Transcriber | undefined;
  templates: TemplateSource;
  /** What templates say. */
  templateTexts: TemplateTexts;
  marks: MessageMarks;
  /** Addresses of files, for providers and visitors who fetch them. */
  links: FileLinks;
  names: AccountNames;
  /** Wakes the processing of delivered events. */
  inboundBell: OutboxBell;
  inboundMetrics: InboundMetrics;
  /** Bounds the events that wait for their processing. */
  inboundRoom: InboundRoom;
  /** Keeps background work from delaying requests. */
  gate: BackgroundGate;
  /** The persons behind tenants, as far as the platform told them. */
  tenantOwners: KnownOwners;
  /** Events that this process works on at the same time. */
  inboundWorkers: number;
  metrics: GatewayMetrics;
  /** Id of this process in leases. */
  owner: string;
}

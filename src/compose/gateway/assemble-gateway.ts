import { version } from "../../../package.json" with { type: "json" };
import { createInboundMetrics } from "../../channels/inbox/inbound-metrics.ts";
import { createProviderMedia } from "../../channels/media/provider-media.ts";
import { createChannelMarks } from "../../channels/outbox/channel-marks.ts";
import { createSenderOf } from "../../channels/outbox/channel-senders.ts";
import { OutboxBell } from "../../channels/outbox/outbox-bell.ts";
import { awaitReceipts } from "../../channels/outbox/sweep-outbox.ts";
import { createProviderTemplates } from "../../channels/templates/provider-templates.ts";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import { resolveBySystem } from "../../engine/tools/network/address/address-resolver.ts";
import { createGuardedNetwork } from "../../engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../engine/tools/network/direct-connection.ts";
import { BackgroundGate } from "../../kit/concurrency/background-gate.ts";
import { KnownOwners } from "../../kit/concurrency/known-owners.ts";
import { createGatewayApp } from "../../services/gateway/app.ts";
import type { GatewayCredentials } from "../../services/gateway/auth/credentials.ts";
import { createForwardingSender } from "../../services/gateway/callbacks/forwarding-sender.ts";
import { createAddressFollower } from "../../services/gateway/contacts/follow-addresses.ts";
import type { GatewayDeps } from "../../services/gateway/deps.ts";
import { createNoticeSender } from "../../services/gateway/desk/desk-notices.ts";
import { EmulatorRing } from "../../services/gateway/emulator/emulator-ring.ts";
import { EventFeed } from "../../services/gateway/events/event-feed.ts";
import { InboundRoom } from "../../services/gateway/inbound/inbound-room.ts";
import { createFileLinks } from "../../services/gateway/media/file-links.ts";
import { createFileReader } from "../../services/gateway/media/store.ts";
import { createGatewayMetrics } from "../../services/gateway/metrics/gateway-metrics.ts";
import { migrations } from "../../services/gateway/migrations.gen.ts";
import { createOutboxLedger } from "../../services/gateway/outbox/outbox-ledger.ts";
import { OutboxRoom } from "../../services/gateway/outbox/outbox-room.ts";
import { StorageRoom } from "../../services/gateway/room/storage-room.ts";
import { tables } from "../../services/gateway/tables.ts";
import { templatesOf } from "../../services/gateway/templates/routes.ts";
import { TemplateTexts } from "../../services/gateway/templates/template-texts.ts";
import { answeredMessage } from "../../services/gateway/trail/answered-message.ts";
import { createWebchatParts } from "../../services/gateway/webchat/webchat-parts.ts";
import { openWidget } from "../../services/gateway/webchat/widget-script.ts";
import { gatewayWorkers, retainedRecords } from "../../services/gateway/workers.ts";
import { rememberingSealer } from "../../storage/sealing/remembering-sealer.ts";
import { createCallbackPost } from "../callback-post.ts";
import type { AssembledService, Foundation } from "../foundation.ts";
import { pendingWork } from "../pending-work.ts";
import { createProviderFetch } from "../provider-fetch.ts";
import type { AccessRule } from "../service.ts";
import { openOwnStorage, readinessOf } from "../service-storage.ts";
import type { GatewayConfig } from "../settings/gateway-settings.ts";
import { openJwtKeys } from "../settings/secrets/local-secrets.ts";
import { createAccountNames } from "./account-names.ts";
import { createAgentCheck } from "./agent-check.ts";
import { createAgentRuns } from "./agent-runs.ts";
import { createAgentSessions } from "./agent-sessions.ts";
import { createBotWebhooks } from "./bot-webhooks.ts";
import { createGatewayControl } from "./control-app.ts";
import { createDeskNotices } from "./desk-notices.ts";
import { gatewayCheckups } from "./gateway-checkups.ts";
import { createMessageMarks } from "./message-marks.ts";
import { createMessageSender } from "./message-senders.ts";
import { createRunVerdicts } from "./run-verdicts.ts";
import { createTenantMembers } from "./tenant-members.ts";
import { createTranscriber } from "./transcriber.ts";
import { createVisitorInbox } from "./visitor-inbox.ts";
import { withWebchat } from "./webchat-sender.ts";
import { webhookSecretsOf } from "./webhook-secrets.ts";

/**
 * Channels on which a receipt or an echo settles an unknown outcome. WhatsApp reports each message with its token; echoes of Instagram come
 * only if its deliveries do.
 */
const settledChannels = ({ photo }: GatewayConfig): ReadonlySet<ChannelName> =>
  new Set(photo === undefined ? ["phone_messenger"] : ["phone_messenger", "photo_social"]);

/** Assembles the messaging gateway on its own storage. */
export async function assembleGateway(
  foundation: Foundation,
  accessTo: AccessRule,
): Promise<AssembledService> {
  const { config, log, clock, newId, random, peers, workerStates, folder } = foundation;
  const sealer = foundation.sealer && rememberingSealer(foundation.sealer);
  const { gateway } = config;
  const metrics = createGatewayMetrics(workerStates);
  const { conflicted: onConflict } = metrics;
  const storage = await openOwnStorage(foundation, { service: "gateway", tables, migrations, onConflict });
  const ledger = createOutboxLedger(
    storage.tables,
    newId,
    createAddressFollower(storage.tables, newId, clock),
  );
  await awaitReceipts({ storage, ledger, clock });
  const pending = pendingWork();
  const emulated = new EmulatorRing();
  const remotePlatform =
    gateway.platformUrl === undefined ? undefined : { url: gateway.platformUrl, headers: {} };
  const senderOf = createSenderOf({
    baseUrls: gateway.baseUrls,
    emulate: gateway.emulate,
    fetch: createProviderFetch(clock),
    clock,
    log,
  });
  const tenantOwners = new KnownOwners();
  const inboundBell = new OutboxBell(clock);
  const inboundRoom = new InboundRoom(storage, gateway.inboundRows, tenantOwners);
  const { storageBytes } = gateway;
  const storageRoom = new StorageRoom(storage, clock, storageBytes);
  const webchat = createWebchatParts({
    inbox: createVisitorInbox({
      storage,
      storageRoom,
      newId,
      clock,
      inboundRoom,
      inboundBell,
    }),
    keys: openJwtKeys(config, folder),
    widget: openWidget(),
    clock,
  });
  const platform = () => peers.find("platform", remotePlatform);
  const network = createGuardedNetwork({
    clock,
    connect: createDirectConnections(clock),
    resolve: resolveBySystem,
    opened: config.network,
  });
  const templates = createProviderTemplates(network, gateway.baseUrls.graph);
  const media = createProviderMedia({ network, baseUrls: gateway.baseUrls, log });
  const channelSender = withWebchat(
    createMessageSender({
      senderOf,
      settled: settledChannels(gateway),
      emulated,
      answered: (message) => answeredMessage(storage, message),
      files: createFileReader({ storage, sealer }),
      clock,
    }),
    {
      storage,
      clock,
      newId,
      bell: webchat.bell,
    },
  );
  const post = createCallbackPost(network);
  const deps: GatewayDeps = {
    version,
    clock,
    newId,
    random,
    log,
    storage,
    sealer,
    credentials: gateway,
    members: createTenantMembers(platform, clock),
    webhooks: createBotWebhooks(gateway, senderOf),
    agents: createAgentCheck(platform, clock),
    ledger,
    sender: createNoticeSender(
      createForwardingSender(channelSender, { storage, sealer, media, post, clock, log }),
      { storage, sealer, notices: createDeskNotices(platform, clock) },
    ),
    runs: createAgentRuns(platform, clock),
    sessions: createAgentSessions(platform, clock),
    verdicts: createRunVerdicts(platform, clock),
    media,
    // Without keys no file is kept.
    transcriber: sealer && gateway.transcription && createTranscriber(network, gateway.transcription),
    templates,
    templateTexts: new TemplateTexts(clock, (account, signal) =>
      templatesOf({ sealer, templates, emulatedIds: gateway.emulate }, account, signal),
    ),
    links: createFileLinks(sealer, gateway.publicBaseUrl),
    names: createAccountNames(senderOf, sealer),
    marks: createMessageMarks({ marks: createChannelMarks(senderOf, log), sealer, tenantOwners, log }),
    webhookSecrets: webhookSecretsOf(gateway),
    inboundBell,
    inboundMetrics: createInboundMetrics(metrics.registry),
    inboundRoom,
    gate: new BackgroundGate({ clock }),
    tenantOwners,
    inboundWorkers: gateway.workers,
    emulatedIds: gateway.emulate,
    bell: new OutboxBell(clock),
    room: new OutboxRoom(clock, gateway.outboxRows),
    storageRoom,
    storageBytes,
    accountsMax: gateway.accounts,
    emulated,
    withEmulator: gateway.emulator || gateway.emulate.length > 0,
    allowsHttpCallbacks: gateway.allowsHttpCallbacks,
    publicBaseUrl: gateway.publicBaseUrl,
    feed: new EventFeed(clock),
    webchat: gateway.webchat ? webchat : undefined,
    metrics,
    owner: newId(),
  };
  const create = (credentials: GatewayCredentials) =>
    createGatewayApp(
      { ...deps, credentials },
      {
        access: accessTo([]),
        secure: config.tls !== undefined,
        readReadiness: () => readinessOf("gateway", storage, foundation),
      },
    );
  const control = pending.over(createGatewayControl(deps.credentials, create));
  return {
    app: pending.over(create(deps.credentials)),
    control,
    operators: control,
    storage,
    checkups: gatewayCheckups({ storage, clock, storageBytes, dataFolder: config.dataFolder }),
    retained: retainedRecords,
    workers: gatewayWorkers(deps),
    intake: { begin() {}, retire: pending.ended },
    cancel() {},
    async close() {
      await pending.ended();
      await storage.close();
    },
  };
}

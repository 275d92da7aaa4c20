import { version } from "../../../package.json" with { type: "json" };
import { createGatewayApp } from "../../services/gateway/app.ts";
import type { GatewayDeps } from "../../services/gateway/deps.ts";
import { EmulatorRing } from "../../services/gateway/emulator/emulator-ring.ts";
import { createGatewayMetrics } from "../../services/gateway/metrics/gateway-metrics.ts";
import { migrations } from "../../services/gateway/migrations.gen.ts";
import { OutboxBell } from "../../services/gateway/outbox/outbox-bell.ts";
import { readOutboxDepth } from "../../services/gateway/outbox/outbox-depth.ts";
import { tables } from "../../services/gateway/tables.ts";
import { createWebchatParts } from "../../services/gateway/webchat/webchat-parts.ts";
import { openWidget } from "../../services/gateway/webchat/widget-script.ts";
import { gatewayWorkers } from "../../services/gateway/workers.ts";
import type { AssembledService, Foundation } from "../foundation.ts";
import { pendingWork } from "../pending-work.ts";
import type { AccessRule } from "../service.ts";
import { openOwnStorage, readinessOf } from "../service-storage.ts";
import { openJwtKeys } from "../settings/local-secrets.ts";
import { createAgentCheck } from "./agent-check.ts";
import { createBotWebhooks } from "./bot-webhooks.ts";
import { createMessageSender } from "./message-senders.ts";
import { createVisitorInbox } from "./visitor-inbox.ts";
import { withWebchat } from "./webchat-sender.ts";

/** Assembles the messaging gateway on its own storage. */
export async function assembleGateway(
  foundation: Foundation,
  accessTo: AccessRule,
): Promise<AssembledService> {
  const { config, log, clock, newId, random, sealer, peers, workerStates, folder } = foundation;
  const { gateway } = config;
  const storage = await openOwnStorage(foundation, { service: "gateway", tables, migrations });
  const pending = pendingWork();
  const emulated = new EmulatorRing();
  const remotePlatform =
    gateway.platformUrl === undefined ? undefined : { url: gateway.platformUrl, headers: {} };
  const webchat = createWebchatParts({
    inbox: createVisitorInbox({ storage, newId }),
    keys: openJwtKeys(config, folder),
    widget: openWidget(),
    clock,
  });
  const deps: GatewayDeps = {
    version,
    clock,
    newId,
    random,
    log,
    storage,
    sealer,
    credentials: gateway,
    webhooks: createBotWebhooks(gateway, clock),
    agents: createAgentCheck(() => peers.find("platform", remotePlatform), clock),
    sender: withWebchat(createMessageSender({ config: gateway, emulated, clock }), {
      storage,
      clock,
      newId,
      bell: webchat.bell,
    }),
    bell: new OutboxBell(clock),
    emulated,
    withEmulator: gateway.emulator,
    allowsHttpCallbacks: gateway.allowsHttpCallbacks,
    webchat: gateway.webchat ? webchat : undefined,
    metrics: createGatewayMetrics(workerStates),
    owner: newId(),
  };
  const app = pending.over(
    createGatewayApp(deps, {
      access: accessTo([]),
      secure: config.tls !== undefined,
      readReadiness: () => readinessOf(storage, workerStates),
    }),
  );
  return {
    app,
    checkups: [
      {
        name: "gateway storage",
        async look() {
          await storage.check();
          const place = storage.dialect === "postgres" ? "PostgreSQL" : config.dataFolder;
          return { status: "healthy", message: `Storage at ${place} is writable.` };
        },
      },
      {
        name: "gateway outbox",
        async look() {
          const { pending: waiting, oldestMs } = await readOutboxDepth(storage, clock.now());
          const message = `${waiting} messages wait; the oldest open one is ${Math.round(oldestMs / 1000)} s old.`;
          return { status: "healthy", message };
        },
      },
    ],
    workers: gatewayWorkers(deps),
    intake: { begin() {}, retire: pending.ended },
    cancel() {},
    async close() {
      await pending.ended();
      await storage.close();
    },
  };
}

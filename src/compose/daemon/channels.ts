import type { DoctorCheck } from "../../contracts/daemon/system.ts";
import { resolveBySystem } from "../../engine/tools/network/address/address-resolver.ts";
import { createGuardedNetwork } from "../../engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../engine/tools/network/direct-connection.ts";
import { AppError } from "../../kit/app-error.ts";
import { isLoopback } from "../../kit/fetch/is-loopback.ts";
import type { Logger } from "../../kit/log.ts";
import type { Worker } from "../../kit/worker.ts";
import { answerMessage } from "../../services/daemon/channels/answer-message.ts";
import { answerQuestion } from "../../services/daemon/channels/answer-question.ts";
import { createChannelMetrics } from "../../services/daemon/channels/channel-metrics.ts";
import {
  createPhoneMessenger,
  type DaemonChannels,
  type PhoneMessenger,
} from "../../services/daemon/channels/phone-messenger.ts";
import type { MessageArrived } from "../../services/daemon/channels/receive-delivery.ts";
import type { DaemonDeps } from "../../services/daemon/deps.ts";
import { operatorTenant } from "../../services/daemon/operator-tenant.ts";
import type { AwaitedAnswers } from "../../services/daemon/paused-runs/awaited-answers.ts";
import { locateAgent } from "../../services/daemon/runs/locate-agent.ts";
import type { DaemonTables } from "../../services/daemon/tables.ts";
import type { Storage } from "../../storage/storage.ts";
import { isExposed } from "../exposure.ts";
import type { Foundation, Intake } from "../foundation.ts";
import { createProviderFetch } from "../provider-fetch.ts";
import type { Config } from "../settings/config.ts";
import { serviceConfig } from "../settings/service-settings.ts";

export interface AssembledChannels extends DaemonChannels {
  workers: readonly Worker[];
  intake: Intake;
}

/** The parts of the daemon that answer messages. */
export type ChannelDaemon = Omit<DaemonDeps, "channels" | "evals" | "triggers" | "mcpTasks">;

interface ChannelParts {
  storage: Storage<DaemonTables>;
  /** Outcomes of runs that wait for a person or a caller. */
  awaited: AwaitedAnswers;
  arrived: MessageArrived;
  /** Answers the messages. */
  daemon: ChannelDaemon;
}

/** Sets up the configured messaging channels of a daemon. */
export function assembleChannels(
  { config, random }: Pick<Foundation, "config" | "random">,
  { storage, awaited, arrived, daemon }: ChannelParts,
): AssembledChannels {
  const { clock, newId, log, metrics, stopping } = daemon;
  const settings = config.channels.phoneMessenger;
  if (settings === undefined) {
    const intake = { begin: () => {}, retire: async () => {} };
    return { phoneMessenger: undefined, workers: [], intake };
  }
  const phoneMessenger = createPhoneMessenger({
    settings,
    storage,
    tenant: operatorTenant,
    owner: newId(),
    traces: daemon.traces,
    answer: (question) => answerMessage(daemon, question),
    answerQuestion: (question) => answerQuestion(daemon, question),
    awaited,
    arrived,
    fetch: createProviderFetch(clock),
    network: createGuardedNetwork({
      clock,
      connect: createDirectConnections(clock),
      resolve: resolveBySystem,
      opened: config.network,
    }),
    metrics: createChannelMetrics(metrics.registry, "phone_messenger"),
    clock,
    newId,
    random,
    log: log.with({ channel: "phone_messenger" }),
    stopping,
  });
  return {
    phoneMessenger,
    workers: phoneMessenger.workers,
    intake: {
      begin() {
        void agentFinding(phoneMessenger, daemon).then((finding) => {
          if (finding !== undefined) log.warn("channel.agent_missing", { message: finding.message });
        });
        phoneMessenger.begin();
      },
      retire: phoneMessenger.retire,
    },
  };
}

/** Refuses to accept unsigned deliveries from other machines, and logs at each start if deliveries are not checked. */
export function requireSafeChannels(
  config: Pick<Config, "channels" | "services" | "access">,
  log: Logger,
): void {
  const settings = config.channels.phoneMessenger;
  if (settings === undefined || !serviceConfig(config.services, "daemon").enabled) return;
  if (settings.appSecret === undefined) {
    if (isExposed(config, "daemon") && !settings.allowsUnsigned) throw secretNeeded();
    const message = settings.allowsUnsigned
      ? "No app secret is set: anyone who reaches the webhook can send messages under any sender's name."
      : "Deliveries are not checked: no app secret is set. Those that a proxy forwards are refused.";
    log.warn("channel.unsigned", { channel: "phone_messenger", message });
  }
  const api = new URL(settings.apiBaseUrl);
  if (api.protocol === "http:" && !isLoopback(api.hostname.replace(/^\[(.*)\]$/, "$1"))) {
    const message =
      "The access token and all answers are sent unencrypted: api_base_url is not an https address.";
    log.warn("channel.unencrypted", { channel: "phone_messenger", message });
  }
}

function secretNeeded(): AppError {
  const message = "The channel phone_messenger may not take unsigned deliveries while the daemon is exposed.";
  const hint =
    "Set CHANNEL_APP_SECRET, or app_secret in channels.yaml, to the app's secret; allow_unsigned: true takes deliveries from anyone.";
  return new AppError("invalid", "app_secret_needed", message, { details: { hint } });
}

/** The doctor's check of the channels. */
export async function checkChannels({ phoneMessenger }: DaemonChannels, daemon: AgentsToAnswer) {
  if (phoneMessenger === undefined) {
    return { status: "healthy", message: "No messaging channel is configured." } as const;
  }
  const missingAgent = await agentFinding(phoneMessenger, daemon);
  if (missingAgent !== undefined) return missingAgent;
  const { open, pausedBy, accepted, forged } = await phoneMessenger.state();
  const waiting = `${open} messages wait for an answer.`;
  if (pausedBy !== undefined) return accountFinding(pausedBy, waiting);
  if (phoneMessenger.settings.appSecret === undefined) {
    return {
      status: "degraded",
      message: `phone_messenger takes deliveries without a signature. ${waiting}`,
      mend: "set CHANNEL_APP_SECRET to the secret of the app at the provider",
    } as const;
  }
  if (forged > 0 && accepted === 0) {
    return {
      status: "degraded",
      message: `None of ${forged} deliveries to phone_messenger had the right signature. ${waiting}`,
      mend: "set CHANNEL_APP_SECRET to the secret of the app at the provider",
    } as const;
  }
  const { defaultAgent } = phoneMessenger.settings;
  return {
    status: "healthy",
    message: `phone_messenger is answered by the agent ${defaultAgent}. ${waiting}`,
  } as const;
}

export type AgentsToAnswer = Pick<DaemonDeps, "catalog" | "overridden" | "router">;
type Finding = Omit<DoctorCheck, "name">;

/** Returns the problem that prevents the channel's agent from answering; undefined if there is none. */
async function agentFinding(
  { settings: { defaultAgent } }: PhoneMessenger,
  daemon: AgentsToAnswer,
): Promise<Finding | undefined> {
  try {
    await locateAgent(daemon, defaultAgent, { sender: "owner" });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    return {
      status: "failing",
      message: `phone_messenger can't be answered: ${thrown.message}`,
      mend: "name a loaded agent in default_agent of channels.yaml; `argosy agents` lists them",
    };
  }
}

function accountFinding(code: string, waiting: string): Finding {
  return {
    status: "failing",
    message: `The provider refuses what phone_messenger sends (error ${code}). ${waiting}`,
    mend: "look up the error at the provider: access token, phone_number_id, bill or permissions; it is tried again by itself",
  };
}

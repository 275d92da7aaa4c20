import { createHmac, randomBytes } from "node:crypto";
import { inArray } from "drizzle-orm";
import { createInboundMetrics } from "../../src/channels/inbox/inbound-metrics.ts";
import { inboundWorker } from "../../src/channels/inbox/inbound-worker.ts";
import type { FetchedFile } from "../../src/channels/media/media-source.ts";
import type { MessageSender, OutboxMessage, SendResult } from "../../src/channels/outbox/message-sender.ts";
import { OutboxBell } from "../../src/channels/outbox/outbox-bell.ts";
import { webhookSecretOf } from "../../src/channels/telegram/verify-secret.ts";
import { emulatedTemplates } from "../../src/channels/templates/read-template.ts";
import { createVisitorInbox } from "../../src/compose/gateway/visitor-inbox.ts";
import { withWebchat } from "../../src/compose/gateway/webchat-sender.ts";
import type { ChannelName } from "../../src/contracts/gateway/channels.ts";
import type { Actor, MemberRole } from "../../src/contracts/platform/members.ts";
import type { DeskNoticeInput } from "../../src/contracts/platform/notices.ts";
import { listen } from "../../src/http/listen.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { BackgroundGate } from "../../src/kit/concurrency/background-gate.ts";
import { KnownOwners } from "../../src/kit/concurrency/known-owners.ts";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { newId } from "../../src/kit/id.ts";
import { createGatewayApp } from "../../src/services/gateway/app.ts";
import type { AgentSessions, ForgetAnswer } from "../../src/services/gateway/contacts/agent-sessions.ts";
import { createAddressFollower } from "../../src/services/gateway/contacts/follow-addresses.ts";
import type { GatewayDeps } from "../../src/services/gateway/deps.ts";
import { createNoticeSender } from "../../src/services/gateway/desk/desk-notices.ts";
import { EmulatorRing } from "../../src/services/gateway/emulator/emulator-ring.ts";
import { EventFeed } from "../../src/services/gateway/events/event-feed.ts";
import { InboundRoom } from "../../src/services/gateway/inbound/inbound-room.ts";
import { createGatewayMetrics } from "../../src/services/gateway/metrics/gateway-metrics.ts";
import { createOutboxLedger } from "../../src/services/gateway/outbox/outbox-ledger.ts";
import { OutboxRoom } from "../../src/services/gateway/outbox/outbox-room.ts";
import type { AgentRuns, RunAnswer, RunOrder } from "../../src/services/gateway/processing/agent-runs.ts";
import { parkEvent, processEvent } from "../../src/services/gateway/processing/process-event.ts";
import type {
  RunVerdicts,
  VerdictAnswer,
  VerdictOrder,
} from "../../src/services/gateway/processing/run-verdicts.ts";
import { StorageRoom } from "../../src/services/gateway/room/storage-room.ts";
import { tables } from "../../src/services/gateway/tables.ts";
import { TemplateTexts } from "../../src/services/gateway/templates/template-texts.ts";
import { createWebchatParts } from "../../src/services/gateway/webchat/webchat-parts.ts";
import { openWidget } from "../../src/services/gateway/webchat/widget-script.ts";
import { createSealer } from "../../src/storage/sealing/seal.ts";
import { type Answer, answerOf, type CallOptions } from "./daemon.ts";
import { FakeClock } from "./fake-clock.ts";
import { type LoggedEvent, recordingLogger } from "./recording-logger.ts";
import { socketTurns } from "./socket-turns.ts";
import type { TestEngine } from "./storage-engines.ts";

/** The gateway on a free port over an engine's empty database, with a clock that does not move and a scripted provider. */
export interface TestGateway extends AsyncDisposable {
  url: string;
  deps: GatewayDeps;
  clock: FakeClock;
  logged: LoggedEvent[];
  provider: ScriptedSender;
  /** Bots whose webhooks were registered; `fails` makes the next ones fail. */
  webhooks: { registered: string[]; fails: boolean };
  /** What the platform says of agents, by name; `undefined`: it can't be asked. */
  agents: Map<string, "known" | "key_refused" | undefined>;
  platform: ScriptedRuns;
  verdicts: ScriptedVerdicts;
  sessions: ScriptedSessions;
  members: ScriptedMembers;
  /** What the platform was told for webhooks. */
  notices: (DeskNoticeInput & { apiKey: string })[];
  /** Files of users' messages, by the provider's id or address. */
  files: Map<string, FetchedFile>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Adds an account of a tenant by the admin route and returns its id. */
  account(tenantId: string, channel: ChannelName, externalId: string): Promise<string>;
}

/** A platform that gives each key one answer: what `answers` returns for its first call, or the query in capitals. */
export interface ScriptedRuns extends AgentRuns {
  /** Calls with a new key, in order. */
  runs: RunOrder[];
  /** All calls, repeated ones included. */
  calls: RunOrder[];
  answers: (order: RunOrder, call: number) => RunAnswer | Promise<RunAnswer>;
}

export const answered = (answer: string, data?: unknown): RunAnswer => ({
  kind: "answered",
  result: {
    invocation_id: newId(),
    status: "ok",
    session_id: "s",
    answer,
    usage: { tokens_in: 1, tokens_out: 1, by_model: [] },
    credits_charged_micros: 0,
    pricing_status: "priced",
    ...(data !== undefined && { data }),
  },
});

/** People and keys of tenants, by their token or key. */
export type ScriptedMembers = Map<string, Actor>;

/** A member of a tenant, with a name. */
export const memberOf = (tenant_id: string, role: MemberRole, display_name?: string): Actor => ({
  tenant_id,
  tenant_name: tenant_id,
  role,
  person:
    display_name === undefined
      ? null
      : { id: display_name, email: `${display_name}@a.example`, display_name },
});

/** Keeps the verdicts on runs as a platform would, each with the key that it came with. */
export interface ScriptedVerdicts extends RunVerdicts {
  /** Verdicts that stand, by invocation. */
  kept: Map<string, VerdictOrder>;
  /** All calls. */
  orders: VerdictOrder[];
  /** Answers of the next calls; after them, each verdict is kept. */
  answers: VerdictAnswer[];
}

/** A platform that forgets sessions. */
export interface ScriptedSessions extends AgentSessions {
  /** All calls. */
  orders: { apiKey: string; sessionId: string }[];
  /** Answers of the next calls; after them, each session is forgotten. */
  answers: ForgetAnswer[];
}

function scriptedSessions(): ScriptedSessions {
  const [orders, answers]: [ScriptedSessions["orders"], ForgetAnswer[]] = [[], []];
  return {
    orders,
    answers,
    async forget(order) {
      orders.push(order);
      return answers.shift() ?? "forgotten";
    },
  };
}

function scriptedVerdicts(): ScriptedVerdicts {
  const kept: ScriptedVerdicts["kept"] = new Map();
  const [orders, answers]: [VerdictOrder[], VerdictAnswer[]] = [[], []];
  return {
    kept,
    orders,
    answers,
    async judge(order) {
      orders.push(order);
      const answer = answers.shift() ?? "kept";
      if (answer !== "kept") return answer;
      if (order.given === undefined) kept.delete(order.invocationId);
      else kept.set(order.invocationId, order);
      return "kept";
    },
  };
}

export function scriptedRuns(): ScriptedRuns {
  const kept = new Map<string, RunAnswer>();
  const platform: ScriptedRuns = {
    runs: [],
    calls: [],
    answers: ({ request }) => answered(request.query.toUpperCase()),
    async run(order, signal) {
      signal.throwIfAborted();
      platform.calls.push(order);
      const known = kept.get(order.idempotencyKey);
      if (known !== undefined) return known;
      const answer = await platform.answers(order, platform.calls.length);
      if (answer.kind === "answered") {
        kept.set(order.idempotencyKey, answer);
        platform.runs.push(order);
      }
      return answer;
    },
  };
  return platform;
}

/** Plays results one after the other, and then accepts everything. */
export interface ScriptedSender extends MessageSender {
  results: SendResult[];
  sent: (OutboxMessage & { account: string })[];
  /** Channels with receipts. */
  receipts: Set<ChannelName>;
}

export const sendKeyOfA = "key-of-tenant-a";
export const sendKeyOfB = "key-of-tenant-b";
export const senderKey = "trusted-sender-key-of-at-least-32-bytes";
export const appSecret = "app-secret-of-the-phone-channel-32-bytes";
export const photoSecret = "app-secret-of-the-photo-channel-32-bytes";
export const botSecret = "secret-of-the-bots-webhooks-with-32-bytes";
export const verifyToken = "verify-me";
export const adminToken = "admin-token-of-the-gateway-with-32-bytes";
export const asA = { "x-gateway-key": sendKeyOfA };
export const asB = { "x-gateway-key": sendKeyOfB };
export const asSender = { "x-gateway-sender-key": senderKey };
export const asAdmin = { "x-admin-token": adminToken };

export function scriptedSender(results: SendResult[] = []): ScriptedSender {
  const sent: ScriptedSender["sent"] = [];
  const receipts = new Set<ChannelName>(["phone_messenger"]);
  return {
    results,
    sent,
    receipts,
    async send(account, message) {
      sent.push({ ...message, account: account.externalId });
      const result = results.shift() ?? { action: "sent" };
      const isSent = result.action === "sent";
      return {
        result,
        channelMessageId: isSent ? `out.${sent.length}` : undefined,
      };
    },
    partsOf: (_channel, { text, media }) => [{ text, hasMedia: media !== undefined }],
    hasReceipts: (channel) => receipts.has(channel),
    resultOfCode: (_channel, code) => ({ action: "final", code }),
  };
}

export async function startGateway(
  engine: TestEngine,
  change: (deps: GatewayDeps) => GatewayDeps = (deps) => deps,
  startAt = "2026-03-10T12:00:00.000Z",
): Promise<TestGateway> {
  await using held = new AsyncDisposableStack();
  const clock = new FakeClock(startAt);
  const storage = held.use(await engine.open({ service: "gateway", tables }));
  const { log, logged } = recordingLogger();
  const webhooks: TestGateway["webhooks"] = { registered: [], fails: false };
  const agents: TestGateway["agents"] = new Map([["support", "known"]]);
  const provider = scriptedSender();
  const tenantOwners = new KnownOwners();
  const members: ScriptedMembers = new Map();
  const notices: TestGateway["notices"] = [];
  const sealer = createSealer([{ kid: "k1", secret: randomBytes(32) }]);
  const inboundBell = new OutboxBell(clock);
  const inboundRoom = new InboundRoom(storage, 10_000, tenantOwners);
  const storageBytes = 10 * 1024 ** 3;
  const storageRoom = new StorageRoom(storage, clock, storageBytes);
  const webchat = createWebchatParts({
    inbox: createVisitorInbox({ storage, storageRoom, newId, clock, inboundRoom, inboundBell }),
    keys: [{ kid: "k1", secret: randomBytes(32) }],
    widget: openWidget(),
    clock,
  });
  const platform = scriptedRuns();
  const verdicts = scriptedVerdicts();
  const sessions = scriptedSessions();
  const files: TestGateway["files"] = new Map();
  const metrics = createGatewayMetrics(() => []);
  const deps = change({
    version: "0.0.0",
    clock,
    newId,
    random: () => 0.5,
    log,
    storage,
    ledger: createOutboxLedger(storage.tables, newId, createAddressFollower(storage.tables, newId, clock)),
    sealer,
    credentials: {
      sendKeys: [
        { tenantId: "a", key: sendKeyOfA },
        { tenantId: "b", key: sendKeyOfB },
      ],
      trustedSenderKey: senderKey,
      adminToken,
    },
    members: {
      async find({ apiKey, authorization, tenantId }) {
        const actor = members.get(apiKey ?? authorization?.replace(/^Bearer /, "") ?? "");
        if (actor === undefined) throw new AppError("unauthorized", "unauthorized", "No.");
        if (tenantId !== undefined && tenantId !== actor.tenant_id)
          throw new AppError("not_found", "not_found", "There is no such tenant.");
        return actor;
      },
    },
    webhooks: {
      async register({ externalId }) {
        if (webhooks.fails) throw new Error("no");
        webhooks.registered.push(externalId);
      },
    },
    agents: {
      async look({ agent }) {
        if (!agents.has(agent)) return "unknown_agent";
        const answer = agents.get(agent);
        if (answer === undefined) throw new Error("no");
        return answer;
      },
      ownerOf: async () => undefined,
    },
    tenantOwners,
    sender: createNoticeSender(withWebchat(provider, { storage, clock, newId, bell: webchat.bell }), {
      storage,
      sealer,
      notices: {
        async give(notice, apiKey) {
          notices.push({ ...notice, apiKey });
          return { action: "sent" };
        },
      },
    }),
    bell: new OutboxBell(clock),
    room: new OutboxRoom(clock, 100_000),
    storageRoom,
    storageBytes,
    accountsMax: 1_000,
    emulated: new EmulatorRing(),
    withEmulator: true,
    allowsHttpCallbacks: false,
    publicBaseUrl: undefined,
    feed: new EventFeed(clock),
    webchat,
    metrics,
    inboundMetrics: createInboundMetrics(metrics.registry),
    inboundBell,
    inboundRoom,
    gate: new BackgroundGate({ clock }),
    inboundWorkers: 64,
    emulatedIds: [],
    webhookSecrets: new Map([
      ["phone_messenger", { secret: appSecret, verifyToken }],
      ["photo_social", { secret: photoSecret, verifyToken }],
      ["bot_messenger", { secret: botSecret }],
      ["webchat", {}],
      ["echo", {}],
    ]),
    runs: platform,
    verdicts,
    sessions,
    media: {
      fetch: async (_, { id, url }, bytesMax) => {
        const file = files.get(id ?? url ?? "");
        return file !== undefined && file.bytes.length <= bytesMax ? file : undefined;
      },
    },
    transcriber: undefined,
    marks: { begun() {} },
    templates: { list: async () => [] },
    templateTexts: new TemplateTexts(clock, async ({ emulated }) => (emulated ? emulatedTemplates : [])),
    links: { linkTo: ({ id }) => `https://chat.example.com/files/${id}` },
    names: { nameOf: async () => undefined },
    owner: newId(),
  });
  const app = createGatewayApp(deps, {
    access: { exposed: false, allowedHosts: [], guard: "routes", openPaths: [] },
    secure: false,
    readReadiness: async () => [],
  });
  const listener = listen(app, { host: "127.0.0.1", port: 0 }, { clock: systemClock });
  held.defer(() => listener.stop(0));
  const call = async (method: string, path: string, { headers = {}, body }: CallOptions = {}) =>
    answerOf(
      await serviceFetch(`${listener.url}${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    );
  const ending = held.move();
  return {
    url: listener.url,
    deps,
    clock,
    logged,
    provider,
    webhooks,
    agents,
    platform,
    verdicts,
    sessions,
    members,
    notices,
    files,
    call,
    async account(tenantId, channel, externalId) {
      const { status, body } = await call("POST", "/admin/accounts", {
        headers: asAdmin,
        body: { tenant_id: tenantId, channel, external_id: externalId, credentials: credentialsOf(channel) },
      });
      if (status !== 201) throw new Error(`The account was refused: ${JSON.stringify(body)}`);
      return body.id;
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

export function credentialsOf(channel: ChannelName): Record<string, string> {
  if (channel === "bot_messenger") return { bot_token: "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11" };
  if (channel === "webchat" || channel === "echo") return {};
  return { access_token: "EAAG-access-token-7890" };
}

/** Posts a delivery with the channel's own signature, or with the given headers. */
export function deliver(
  gateway: Pick<TestGateway, "call">,
  channel: ChannelName,
  payload: object | string,
  { account, headers }: { account?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  const path = `/webhooks/${channel}${account === undefined ? "" : `/${encodeURIComponent(account)}`}`;
  return gateway.call("POST", path, { headers: headers ?? signed(channel, body, account), body });
}

/** Headers by which a provider proves that a delivery is its own. */
export function signed(channel: ChannelName, body: string, account = ""): Record<string, string> {
  if (channel === "bot_messenger") {
    return { "x-telegram-bot-api-secret-token": webhookSecretOf(botSecret, account) };
  }
  const secret = channel === "photo_social" ? photoSecret : appSecret;
  return { "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` };
}

/** Runs the gateway's inbound worker until every delivered event is closed or waits for a later time. */
export async function processAll(
  { deps, clock }: Pick<TestGateway, "deps" | "clock">,
  { waitsForAlbums = true }: { waitsForAlbums?: boolean } = {},
): Promise<void> {
  const stopping = new AbortController();
  const worker = inboundWorker({
    ...deps,
    workers: deps.inboundWorkers,
    process: (row, signal) => processEvent(deps, row, signal),
    park: (row) => parkEvent(deps, row),
  });
  const running = worker.run(stopping.signal);
  const { inbound } = deps.storage.tables;
  for (;;) {
    const open = await deps.storage.read
      .select({
        state: inbound.state,
        lane: inbound.lane,
        dueAt: inbound.dueAt,
        conversationId: inbound.conversationId,
        tries: inbound.tries,
        receivedAt: inbound.receivedAt,
      })
      .from(inbound)
      .where(inArray(inbound.state, ["waiting", "working"]))
      .orderBy(inbound.sentAt, inbound.id);
    // The first of each conversation holds up the others.
    const heads = new Map(open.toReversed().map((row) => [row.lane, row]));
    const now = clock.now();
    if (![...heads.values()].some(({ state, dueAt }) => state === "working" || dueAt <= now)) {
      // The files of an album are waited for.
      const album = [...heads.values()].find(
        ({ conversationId, tries, dueAt, receivedAt }) =>
          conversationId !== null && tries === 0 && dueAt.getTime() - receivedAt.getTime() === 2_000,
      );
      if (album === undefined || !waitsForAlbums) break;
      await clock.advance(album.dueAt.getTime() - now.getTime());
    }
    deps.inboundBell.ring();
    await socketTurns(2);
  }
  stopping.abort();
  await running;
}

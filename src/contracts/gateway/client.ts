import { AppError } from "../../kit/app-error.ts";
import { segment, withQuery } from "../paths.ts";
import type { StoredBytes } from "../runtime/stored.ts";
import { kindOf, type ServiceAddress, serviceUrl, streamService } from "../service-call.ts";
import { ifMatch, type Tagged, tagOf } from "../tagged.ts";
import type { Account, AccountInput, AccountList } from "./accounts.ts";
import type {
  Conversation,
  ConversationMessagePage,
  ConversationPage,
  DeliveryStatus,
  EmulatorFaultInput,
  EmulatorOutbox,
  EmulatorReactionInput,
  EmulatorReceiptInput,
  EmulatorReceiptQueued,
  GatewayStats,
  ListedConversation,
  MessageSource,
  OutboxEntry,
  OutboxPage,
} from "./admin.ts";
import type { Binding, BindingChange, BindingInput, BindingList } from "./bindings.ts";
import type { ChannelName, Deleted } from "./channels.ts";
import type { Contact, ContactPage, ForgottenContact } from "./contacts.ts";
import {
  actingForHeader,
  type CannedReply,
  type CannedReplyInput,
  type CannedReplyList,
  type ConversationState,
  type DeskEntry,
  type DeskEntryList,
} from "./desk.ts";
import type { AccountWebhook, Directory, DirectoryEntry, GatewaySetup } from "./directory.ts";
import type { EmulatorInboundInput, InboundQueued } from "./emulator.ts";
import type { GatewayEvent } from "./events.ts";
import type { ParkedEventPage, RetriedEvent } from "./inbound.ts";
import type { UploadedFile } from "./media.ts";
import type {
  AdminSendInput,
  MessageOutcome,
  MessageStatus,
  QueuedMessage,
  ResolvedIdentity,
  SendInput,
  SendOnBehalfInput,
} from "./messages.ts";
import type { DeskReport, ReportQuery } from "./reports.ts";
import type { StorageLimits } from "./stored.ts";
import type { TemplateList } from "./templates.ts";
import type { MessageTrail } from "./trail.ts";
import type { BridgeAccepted, BridgeMessage, Thread, WebchatSite, WebchatSiteInput } from "./webchat.ts";

/** Address of a gateway without a credential; each client adds its own. */
export type GatewayAddress = ServiceAddress;

export interface SendOptions {
  /** The same key returns the message that was queued first. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export interface OffsetQuery {
  limit?: number;
  offset?: number;
}

export interface ConversationQuery extends OffsetQuery {
  tenant?: string;
  channel?: ChannelName;
  mode?: "bot" | "human";
  unread?: boolean;
  state?: ConversationState;
  needs_person?: boolean;
  /** With a message that was accepted and then refused. */
  undelivered?: boolean;
  /** Empty: nobody. */
  assignee?: string;
  label?: string;
  /** Part of a user's name or address, or words of the messages. */
  q?: string;
}

export interface ContactQuery extends OffsetQuery {
  tenant?: string;
  channel?: ChannelName;
  /** Part of a name or address. */
  q?: string;
}

type Json = <T>(method: string, path: string, call?: GatewayCall) => Promise<T>;

interface GatewayCall extends SendOptions {
  body?: unknown;
  /** ETag of the version to replace. */
  match?: string | undefined;
}

/** Client of a tenant's program: sends messages and asks what became of them. */
export function gatewayClient(address: GatewayAddress, sendKey: string) {
  const json = callsOf(address, { "x-gateway-key": sendKey });
  return {
    send: (body: SendInput, options: SendOptions = {}) =>
      json<QueuedMessage>("POST", "/api/v1/messages/send", { ...options, body }),
    getMessage: (id: string) => json<MessageOutcome>("GET", `/api/v1/messages/${segment(id)}`),
    ...filesOf(address, { "x-gateway-key": sendKey }, "/api/v1/media"),
  };
}

/** Client of a service that every tenant trusts, such as the platform. */
export function trustedSenderClient(address: GatewayAddress, senderKey: string) {
  const json = callsOf(address, { "x-gateway-sender-key": senderKey });
  return {
    sendOnBehalf: (body: SendOnBehalfInput, options: SendOptions = {}) =>
      json<QueuedMessage>("POST", "/api/v1/messages/send-on-behalf", { ...options, body }),
    resolveIdentity: (query: { tenant_id: string; channel: ChannelName; phone: string }) =>
      json<ResolvedIdentity>("GET", withQuery("/api/v1/identities/resolve", query)),
    /** Says how much tenants may store; returns what they store in the gateway. */
    tellStorageLimits: (body: StorageLimits, signal?: AbortSignal) =>
      json<StoredBytes>("PUT", "/api/v1/storage/limits", { body, ...(signal !== undefined && { signal }) }),
  };
}

/** A credential of the platform, for the desk of one tenant: its API key, or a person's access token with its id. */
export type DeskCredential = { apiKey: string } | { accessToken: string; tenantId: string };

const headersOf = (credential: string | DeskCredential): Record<string, string> =>
  typeof credential === "string"
    ? { "x-admin-token": credential }
    : "apiKey" in credential
      ? { "x-api-key": credential.apiKey }
      : { authorization: `Bearer ${credential.accessToken}`, "x-tenant-id": credential.tenantId };

/** Client of the gateway's operators, by their token, and of the desks of tenants. The control socket needs no token. */
export function gatewayAdminClient(
  address: GatewayAddress,
  caller?: string | DeskCredential,
  person?: string,
) {
  const credential: Record<string, string> = {
    ...(caller !== undefined && headersOf(caller)),
    // The person for whom the calls are made.
    ...(person !== undefined && { [actingForHeader]: encodeURIComponent(person) }),
  };
  const json = callsOf(address, credential);
  const tagged = taggedCallsOf(address, credential);
  const one = (noun: string, id: string, rest = "") => `/admin/${noun}/${segment(id)}${rest}`;
  return {
    /** `match`: refuses with 412 unless the account still has this tag. */
    saveAccount: (body: AccountInput, match?: string) =>
      json<Account>("POST", "/admin/accounts", { body, match }),
    readAccount: (id: string) => tagged<Account>("GET", one("accounts", id)),
    /** All, unless a limit is given. */
    listAccounts: (tenantId: string, query: { channel?: ChannelName } & OffsetQuery = {}) =>
      json<AccountList>("GET", withQuery("/admin/accounts", { tenant_id: tenantId, ...query })),
    directory: (query: { tenant?: string; channel?: ChannelName } & OffsetQuery = {}) =>
      json<Directory>("GET", withQuery("/admin/directory", query)),
    directoryEntry: (id: string) => json<DirectoryEntry>("GET", one("directory", id)),
    setup: () => json<GatewaySetup>("GET", "/admin/setup"),
    accountWebhook: (id: string) => json<AccountWebhook>("GET", one("accounts", id, "/webhook")),
    pauseAccount: (id: string) => json<Account>("POST", one("accounts", id, "/pause")),
    resumeAccount: (id: string) => json<Account>("POST", one("accounts", id, "/resume")),
    deleteAccount: (id: string) => json<Deleted>("DELETE", one("accounts", id)),
    createBinding: (body: BindingInput) => json<Binding>("POST", "/admin/bindings", { body }),
    /** All, unless a limit is given. */
    listBindings: (tenantId: string, query: { channel?: ChannelName } & OffsetQuery = {}) =>
      json<BindingList>("GET", withQuery("/admin/bindings", { tenant_id: tenantId, ...query })),
    readBinding: (id: string) => tagged<Binding>("GET", one("bindings", id)),
    /** `match`: refuses with 412 unless the binding still has this tag. */
    changeBinding: (id: string, body: BindingChange, match?: string) =>
      json<Binding>("PUT", one("bindings", id), { body, match }),
    deleteBinding: (id: string) => json<Deleted>("DELETE", one("bindings", id)),
    stats: (query: { tenant?: string; days?: number; storage?: boolean } = {}) =>
      json<GatewayStats>("GET", withQuery("/admin/stats", query)),
    listContacts: (query: ContactQuery = {}) => json<ContactPage>("GET", withQuery("/admin/contacts", query)),
    getContact: (id: string) => json<Contact>("GET", `/admin/contacts/${segment(id)}`),
    /** Deletes all that is kept of a contact. */
    forgetContact: (id: string) => json<ForgottenContact>("DELETE", `/admin/contacts/${segment(id)}`),
    listConversations: (query: ConversationQuery = {}) =>
      json<ConversationPage>("GET", withQuery("/admin/conversations", query)),
    getConversation: (id: string) => json<ListedConversation>("GET", one("conversations", id)),
    /** Records that an operator read a conversation up to its newest message. */
    markSeen: (id: string) => json<Conversation>("POST", one("conversations", id, "/seen")),
    /** Makes the user's newest message unread again. */
    markUnseen: (id: string) => json<Conversation>("POST", one("conversations", id, "/unseen")),
    listMessages: (id: string, query: { order?: "oldest" | "newest" } & OffsetQuery = {}) =>
      json<ConversationMessagePage>("GET", withQuery(one("conversations", id, "/messages"), query)),
    takeOver: (id: string) => json<Conversation>("POST", one("conversations", id, "/takeover")),
    release: (id: string) => json<Conversation>("POST", one("conversations", id, "/release")),
    listDeskEntries: (id: string) => json<DeskEntryList>("GET", one("conversations", id, "/entries")),
    addNote: (id: string, text: string) =>
      json<DeskEntry>("POST", one("conversations", id, "/note"), { body: { text } }),
    assign: (id: string, assignee: string | null) =>
      json<Conversation>("POST", one("conversations", id, "/assign"), { body: { assignee } }),
    setLabels: (id: string, labels: readonly string[]) =>
      json<Conversation>("POST", one("conversations", id, "/label"), { body: { labels } }),
    snooze: (id: string, until: string) =>
      json<Conversation>("POST", one("conversations", id, "/snooze"), { body: { until } }),
    resolve: (id: string) => json<Conversation>("POST", one("conversations", id, "/resolve")),
    reopen: (id: string) => json<Conversation>("POST", one("conversations", id, "/reopen")),
    listCanned: (tenant: string) => json<CannedReplyList>("GET", withQuery("/admin/canned", { tenant })),
    saveCanned: (body: CannedReplyInput) => json<CannedReply>("POST", "/admin/canned", { body }),
    deleteCanned: (id: string) => json<Deleted>("DELETE", one("canned", id)),
    listOutbox: (
      query: {
        tenant?: string;
        status?: MessageStatus;
        delivery_status?: DeliveryStatus;
        source?: MessageSource;
        channel?: ChannelName;
      } & OffsetQuery = {},
    ) => json<OutboxPage>("GET", withQuery("/admin/outbox", query)),
    report: (query: ReportQuery = {}) => json<DeskReport>("GET", withQuery("/admin/reports", { ...query })),
    /** Returns the report as CSV. */
    reportCsv: async (query: ReportQuery = {}) => {
      const headers = { ...address.headers, ...credential };
      return (await rawCall(address, withQuery("/admin/reports/csv", { ...query }), { headers })).text();
    },
    ...filesOf(address, credential, "/admin/media"),
    listTemplates: (accountId: string) =>
      json<TemplateList>("GET", withQuery("/admin/templates", { account_id: accountId })),
    retryMessage: (id: string) => json<OutboxEntry>("POST", one("outbox", id, "/retry")),
    listParkedEvents: (query: { tenant?: string } & OffsetQuery = {}) =>
      json<ParkedEventPage>("GET", withQuery("/admin/inbound", query)),
    retryEvent: (id: string) => json<RetriedEvent>("POST", one("inbound", id, "/retry")),
    /** `id` is a message's id, a provider's id or a user's address. */
    trail: (id: string, query: { tenant?: string } & OffsetQuery = {}) =>
      json<MessageTrail>("GET", withQuery(one("messages", id, "/trail"), query)),
    emulateInbound: (body: EmulatorInboundInput, options: SendOptions = {}) =>
      json<InboundQueued>("POST", "/admin/emulator/inbound", { ...options, body }),
    emulateReaction: (body: EmulatorReactionInput) =>
      json<EmulatorReceiptQueued>("POST", "/admin/emulator/reactions", { body }),
    emulateReceipt: (body: EmulatorReceiptInput) =>
      json<unknown>("POST", "/admin/emulator/receipts", { body }),
    /** Yields changes as they happen, until the signal aborts. */
    events: (query: { tenant?: string } = {}, signal?: AbortSignal) =>
      streamService<GatewayEvent>(
        { ...address, refusalOf, headers: { ...address.headers, ...credential } },
        "GET",
        withQuery("/admin/events", query),
        { signal },
      ),
    failEmulated: (body: EmulatorFaultInput) => json<unknown>("POST", "/admin/emulator/faults", { body }),
    listEmulated: (query: { canal?: ChannelName; cuenta?: string; ultimos?: number } = {}) =>
      json<EmulatorOutbox>("GET", withQuery("/admin/emulator/outbox", query)),
    /** Without `account_id`, the tenant's oldest account on the channel sends. */
    send: (body: AdminSendInput, { account_id, ...options }: SendOptions & { account_id?: string } = {}) =>
      json<QueuedMessage>("POST", withQuery("/admin/send", { account_id }), { ...options, body }),
    webchatInbound: (body: BridgeMessage) => json<BridgeAccepted>("POST", "/admin/webchat/inbound", { body }),
    webchatThread: (query: { cuenta: string; visitante: string; desde?: string }) =>
      json<Thread>("GET", withQuery("/admin/webchat/hilo", query)),
    getWebchatSite: (account: string) => json<WebchatSite>("GET", `/admin/webchat/sites/${segment(account)}`),
    saveWebchatSite: (account: string, body: WebchatSiteInput) =>
      json<WebchatSite>("PUT", `/admin/webchat/sites/${segment(account)}`, { body }),
  };
}

/** A file to upload. */
export interface SentFile {
  bytes: Uint8Array<ArrayBuffer>;
  contentType?: string | undefined;
  filename?: string | undefined;
  /** For operators: the tenant that it belongs to. */
  tenantId?: string | undefined;
  signal?: AbortSignal | undefined;
}

async function rawCall(
  { fetch, baseUrl }: GatewayAddress,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const response = await fetch(new Request(serviceUrl(baseUrl, path), { ...init, redirect: "manual" }));
  if (!response.ok) throw await refusalOf(response);
  return response;
}

function filesOf(
  { fetch, baseUrl, headers }: GatewayAddress,
  credential: Record<string, string>,
  path: string,
) {
  const call = (at: string, init: RequestInit) => rawCall({ fetch, baseUrl }, at, init);
  return {
    uploadMedia: async ({
      bytes,
      contentType = "application/octet-stream",
      filename,
      tenantId,
      signal,
    }: SentFile) => {
      const query = {
        ...(tenantId !== undefined && { tenant_id: tenantId }),
        ...(filename !== undefined && { filename }),
      };
      const all = { ...headers, ...credential, "content-type": contentType };
      const response = await call(withQuery(path, query), {
        method: "POST",
        headers: all,
        body: bytes,
        ...(signal !== undefined && { signal }),
      });
      return (await response.json()) as UploadedFile;
    },
    /** Returns the answer with the file's bytes, type and name. */
    getMedia: (id: string) => call(`${path}/${segment(id)}`, { headers: { ...headers, ...credential } }),
  };
}

export type GatewayAdminClient = ReturnType<typeof gatewayAdminClient>;

function callsOf(address: GatewayAddress, credential: Record<string, string>): Json {
  const tagged = taggedCallsOf(address, credential);
  return async <T>(...call: Parameters<Json>) => (await tagged<T>(...call)).value;
}

type TaggedJson = <T>(...call: Parameters<Json>) => Promise<Tagged<T>>;

function taggedCallsOf(
  { fetch, baseUrl, headers }: GatewayAddress,
  credential: Record<string, string>,
): TaggedJson {
  return async (method, path, { body, idempotencyKey, match, signal } = {}) => {
    const response = await fetch(
      new Request(serviceUrl(baseUrl, path), {
        method,
        headers: {
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
          ...ifMatch(match),
          ...headers,
          ...credential,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
        // The gateway redirects nowhere, and a redirect would pass the credential on.
        redirect: "manual",
      }),
    );
    if (!response.ok) throw await refusalOf(response);
    const text = await response.text();
    try {
      return { value: JSON.parse(text), tag: tagOf(response) };
    } catch (cause) {
      throw notGateway(response.status, cause);
    }
  };
}

/** The gateway's bodies have no code, so the kind is the code. */
async function refusalOf(response: Response): Promise<AppError> {
  const { status, headers } = response;
  const kind = kindOf(status);
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return new AppError(kind, kind, messageIn(await response.text()) ?? `The gateway answered ${status}.`, {
    ...(Number.isFinite(seconds) && { details: { retryAfterSeconds: seconds } }),
  });
}

const notGateway = (status: number, cause: unknown) =>
  new AppError(
    "upstream_failed",
    "upstream_failed",
    `The answer (${status}) is not a gateway's: it is not JSON.`,
    {
      cause,
      details: { hint: "Check the gateway's address." },
    },
  );

function messageIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const said = typeof body === "object" && body !== null ? Reflect.get(body, "error") : undefined;
    return typeof said === "string" ? said : undefined;
  } catch {
    return undefined;
  }
}

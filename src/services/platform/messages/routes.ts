import { Elysia } from "elysia";
import { MessageInput, MessageQueued } from "../../../contracts/platform/runs/messages.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { phoneDigits } from "../../../kit/text/phone-digits.ts";
import { type RunActor, runCredential, tenantCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import { limitTenantStorage } from "../room/tenant-room.ts";

const tags = ["messages"];

/** Routes through which a tenant's programs send messages. */
export const messageRoutes = (deps: CredentialDeps, sender: GatewaySender) =>
  new Elysia({ prefix: "/api/v1/messages" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "messages"))
    .derive(limitTenantStorage(deps))
    .post(
      "/send",
      async ({ tenant, body, request, set }) => {
        set.status = 202;
        return sender.send(messageOf(tenant.tenantId, body, request), request.signal);
      },
      {
        ...jsonBody(MessageInput),
        response: { 202: MessageQueued },
        detail: { tags, operationId: "sendMessage", summary: "Sends a message through the gateway" },
      },
    );

/** Routes through which an agent sends messages during a run. */
export const runMessageRoutes = (deps: CredentialDeps, sender: GatewaySender) =>
  new Elysia({ prefix: "/api/v1/runs/messages" })
    .use(jsonRoutes())
    .use(runCredential(deps))
    .post(
      "/send",
      async ({ run, body, request, set }) => {
        requireReach(run, body);
        set.status = 202;
        const message = { ...messageOf(run.tenantId, body, request), invocationId: run.invocationId };
        return sender.send(message, request.signal);
      },
      {
        ...jsonBody(MessageInput),
        response: { 202: MessageQueued },
        detail: {
          tags,
          operationId: "sendRunMessage",
          summary: "Sends a message from an agent during its run",
        },
      },
    );

function messageOf(tenantId: string, input: MessageInput, { headers }: Request): TenantMessage {
  if (input.text === undefined || input.text === "") {
    throw new AppError("invalid", "invalid_request", "The body is not valid: text is required.", {
      details: { problems: [{ path: "text", message: "is required" }] },
    });
  }
  const { channel, recipient, text, conversation_ref } = input;
  return {
    tenantId,
    channel,
    recipient,
    text,
    ...(conversation_ref === undefined ? {} : { conversationRef: conversation_ref }),
    traceparent: headers.get("traceparent") ?? undefined,
  };
}

/** Allows a run to write only to the conversation that it answers and to the recipients in its agent's tool entry. */
function requireReach({ reach }: RunActor, { channel, recipient, conversation_ref }: MessageInput): void {
  const listed = Array.isArray(reach.recipients) ? reach.recipients : [];
  const isRecipient = (one: unknown) => typeof one === "string" && isSameAddress(channel, one, recipient);
  const isListed = listed.some(isRecipient);
  const isAnswered = reach.channel === channel && isRecipient(reach.sender);
  const isConversation =
    conversation_ref === undefined ||
    (reach.conversation_ref !== undefined && reach.conversation_ref === conversation_ref);
  if ((isListed || isAnswered) && isConversation) return;
  throw new AppError(
    "forbidden",
    "recipient_not_allowed",
    "This run may send messages only to the conversation it answers, or to recipients that its agent lists.",
  );
}

/** True for one address, whose phone number may be spelled in several ways: a model writes it as people do, WhatsApp as digits. */
function isSameAddress(channel: string, one: string, other: string): boolean {
  if (one === other) return true;
  const digits = channel === "phone_messenger" ? phoneDigits(one) : undefined;
  return digits !== undefined && digits === phoneDigits(other);
}

/** A message to send for a tenant or one of its agents. */
export interface TenantMessage {
  tenantId: string;
  channel: string;
  recipient: string;
  text?: string;
  conversationRef?: string;
  /** Run that writes the message, for users' reactions to it. */
  invocationId?: string;
  /** Trace that the request belongs to. */
  traceparent?: string | undefined;
}

/** Interface to the gateway. Throws the gateway's refusal as AppError, or `gateway_unreachable` (503). */
export interface GatewaySender {
  send(message: TenantMessage, signal: AbortSignal): Promise<{ message_id: string; status: string }>;
}

import {
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { AppError } from "../../../kit/app-error.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { readStrictJson } from "../../../kit/json/strict-json.ts";

/** Messages in one POST. */
export interface SentMessages {
  messages: readonly JSONRPCMessage[];
  isBatch: boolean;
  /** The `initialize` among them. */
  initialize: JSONRPCMessage | undefined;
  /** Ids of the requests among the messages, in order. */
  ids: readonly RequestId[];
}

/** Same limit as in the SDK's transport. */
const batchMax = 100;

/** Parses the messages in a body. Throws AppError `parse_error` if it is not JSON, `invalid_request` if it is not a message. */
export async function readMessages(body: Uint8Array | undefined): Promise<SentMessages> {
  if (body === undefined) throw invalidMessage("This request needs a JSON-RPC message as its body.");
  const value = await readJson(body);
  const isBatch = Array.isArray(value);
  const sent: readonly unknown[] = isBatch ? value : [value];
  if (sent.length === 0) throw invalidMessage("A batch must contain at least one message.");
  if (sent.length > batchMax) throw invalidMessage(`A batch may contain at most ${batchMax} messages.`);
  const messages = sent.map(requireMessage);
  const initialize = messages.find((one) => "method" in one && one.method === "initialize");
  if (initialize !== undefined && isBatch) throw invalidMessage("initialize can't be part of a batch.");
  return {
    messages,
    isBatch,
    initialize,
    ids: messages.filter(isJSONRPCRequest).map(({ id }) => id),
  };
}

async function readJson(body: Uint8Array): Promise<unknown> {
  try {
    return await inPieces(readStrictJson(body));
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== "invalid_request") throw thrown;
    throw new AppError("invalid", "parse_error", thrown.message);
  }
}

function requireMessage(value: unknown): JSONRPCMessage {
  const { success, data } = JSONRPCMessageSchema.safeParse(value);
  if (success) return data;
  throw invalidMessage(
    'That is no JSON-RPC 2.0 message: an object with "jsonrpc": "2.0" and a method (an id that is a text or an integer makes it a request), or an id with either a result or an error.',
  );
}

/**
 * Returns the revision that an `initialize` asks for. Throws AppError `invalid_params`. The SDK accepts an `initialize` without an id, and
 * would open a session whose id no client receives.
 */
export function revisionAsked(message: JSONRPCMessage): string {
  if (isJSONRPCRequest(message) && isInitializeRequest(message)) return message.params.protocolVersion;
  throw new AppError(
    "invalid",
    "invalid_params",
    "initialize needs an id, and params with protocolVersion, capabilities and clientInfo.",
  );
}

export function invalidMessage(message: string): AppError {
  return new AppError("invalid", "invalid_request", message);
}

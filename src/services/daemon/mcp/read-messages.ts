import {
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { AppError } from "../../../kit/app-error.ts";
import { inPieces } from "../../../kit/others-turn.ts";
import { readStrictJson } from "../../../kit/strict-json.ts";

/** What one POST brings. */
export interface SentMessages {
  messages: readonly JSONRPCMessage[];
  isBatch: boolean;
  /** The revision that an `initialize` asks for; undefined: it is none. */
  initialize: string | undefined;
  /** Of the requests among them, in order. */
  ids: readonly RequestId[];
}

/** As many as the SDK's transport takes. */
const batchMax = 100;

/** The messages in a body; AppError `parse_error` when it is no JSON, `invalid_request` when it is no message. */
export async function readMessages(body: Uint8Array | undefined): Promise<SentMessages> {
  if (body === undefined) throw invalid("This request needs a JSON-RPC message as its body.");
  const value = await readJson(body);
  const isBatch = Array.isArray(value);
  const sent: readonly unknown[] = isBatch ? value : [value];
  if (sent.length === 0) throw invalid("A batch must hold at least one message.");
  if (sent.length > batchMax) throw invalid(`A batch may hold ${batchMax} messages.`);
  const messages = sent.map(requireMessage);
  const initialize = messages.find((one) => "method" in one && one.method === "initialize");
  if (initialize !== undefined && isBatch) throw invalid("initialize can't be part of a batch.");
  return {
    messages,
    isBatch,
    initialize: initialize && requireRevision(initialize),
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
  throw invalid(
    'That is no JSON-RPC 2.0 message: an object with "jsonrpc": "2.0" and a method (an id that is a text or an integer makes it a request), or an id with either a result or an error.',
  );
}

/** The SDK takes an `initialize` that has no id, and would open a session that nobody is told of. */
function requireRevision(message: JSONRPCMessage): string {
  if (isJSONRPCRequest(message) && isInitializeRequest(message)) return message.params.protocolVersion;
  throw new AppError(
    "invalid",
    "invalid_params",
    "initialize needs an id, and params with protocolVersion, capabilities and clientInfo.",
  );
}

function invalid(message: string): AppError {
  return new AppError("invalid", "invalid_request", message);
}

import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isRecord } from "../../../kit/json/is-record.ts";

/** Error code for an answer that violates the protocol. */
const brokenAnswer = -32603;

/**
 * Parses a JSON-RPC message; undefined if the text is none. An invalid answer to a request, such as one with both a result and an error,
 * becomes an error, so that its caller does not wait.
 */
export function readMessage(text: string): JSONRPCMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return messageOf(value);
}

function messageOf(value: unknown): JSONRPCMessage | undefined {
  if (!isRecord(value) || value.jsonrpc !== "2.0") return undefined;
  const { id, method, params } = value;
  const hasId = typeof id === "number" || typeof id === "string";
  if (typeof method === "string") {
    if (params !== undefined && !isRecord(params)) return undefined;
    if ("id" in value && !hasId) return undefined;
    return value as unknown as JSONRPCMessage;
  }
  if (!hasId) return undefined;
  if ("result" in value === "error" in value) return broken(id, "a result and an error, or neither");
  if ("error" in value)
    return isError(value.error) ? (value as unknown as JSONRPCMessage) : broken(id, "a strange error");
  return isRecord(value.result)
    ? (value as unknown as JSONRPCMessage)
    : broken(id, "a result that is no object");
}

function broken(id: string | number, what: string): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: brokenAnswer, message: `The server answered with ${what}.` } };
}

function isError(value: unknown): boolean {
  return isRecord(value) && Number.isSafeInteger(value.code) && typeof value.message === "string";
}

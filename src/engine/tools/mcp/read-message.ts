import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/** The code of an answer that breaks the protocol, as the caller of the request is told. */
const brokenAnswer = -32603;

/**
 * The JSON-RPC message of a text; undefined when it is none. An answer to a request that can't be used, such as one with a
 * result and an error, becomes an error, so that nobody waits for another.
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
  if (!isMapping(value) || value.jsonrpc !== "2.0") return undefined;
  const { id, method, params } = value;
  const hasId = typeof id === "number" || typeof id === "string";
  if (typeof method === "string") {
    if (params !== undefined && !isMapping(params)) return undefined;
    if ("id" in value && !hasId) return undefined;
    return value as unknown as JSONRPCMessage;
  }
  if (!hasId) return undefined;
  if ("result" in value === "error" in value) return broken(id, "a result and an error, or neither");
  if ("error" in value)
    return isError(value.error) ? (value as unknown as JSONRPCMessage) : broken(id, "a strange error");
  return isMapping(value.result)
    ? (value as unknown as JSONRPCMessage)
    : broken(id, "a result that is no object");
}

function broken(id: string | number, what: string): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: brokenAnswer, message: `The server answered with ${what}.` } };
}

function isError(value: unknown): boolean {
  return isMapping(value) && Number.isSafeInteger(value.code) && typeof value.message === "string";
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

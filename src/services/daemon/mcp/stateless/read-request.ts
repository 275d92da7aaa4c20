import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { AppError } from "../../../../kit/app-error.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import type { SentMessages } from "../read-messages.ts";
import { metaKeys, namedBy, statelessRevisions } from "./revision.ts";

/** Capabilities that a client declares with each request. */
export type ClientCapabilities = Readonly<Record<string, unknown>>;

/** A request that has been checked against its headers. */
export interface StatelessRequest {
  id: string | number;
  method: string;
  params: Readonly<Record<string, unknown>>;
  capabilities: ClientCapabilities;
}

const revisionHeader = "mcp-protocol-version";

/**
 * Returns true for a message of a revision without sessions: its `_meta` names a revision, or its header names one of these or an unknown
 * one. An `initialize` without the header opens a session, as older clients do.
 */
export function isStateless({ messages, isBatch }: SentMessages, headers: Headers): boolean {
  const [message] = messages;
  if (isBatch || message === undefined) return false;
  if ("params" in message && metaOf(message.params)[metaKeys.revision] !== undefined) return true;
  const named = headers.get(revisionHeader);
  if (named === null || SUPPORTED_PROTOCOL_VERSIONS.includes(named)) return false;
  return statelessRevisions.includes(named) || !headers.has("mcp-session-id");
}

/**
 * Checks a request's headers and `_meta`. Throws AppError `header_mismatch` if a header is missing or differs from the body,
 * `unsupported_revision`, or `invalid_params` if `_meta` lacks a field.
 */
export function readRequest(
  {
    id,
    method,
    params = {},
  }: { id: string | number; method: string; params?: Record<string, unknown> | undefined },
  headers: Headers,
): StatelessRequest {
  const meta = metaOf(params);
  const revision = headers.get(revisionHeader);
  if (revision === null) throw mismatch("The header MCP-Protocol-Version is missing.");
  const { [metaKeys.revision]: named, [metaKeys.capabilities]: capabilities } = meta;
  if (typeof named === "string" && named !== revision)
    throw mismatch(`MCP-Protocol-Version is ${shown(revision)}, and _meta names ${shown(named)}.`);
  if (!statelessRevisions.includes(revision)) throw unsupported(revision);
  if (named !== revision) throw incomplete(metaKeys.revision, "a text");
  if (!isRecord(capabilities)) throw incomplete(metaKeys.capabilities, "an object");
  requireSame("Mcp-Method", headers.get("mcp-method"), method);
  const key = namedBy.get(method);
  const name = key === undefined ? undefined : params[key];
  // The method itself refuses a request without a name.
  if (typeof name === "string") requireSame("Mcp-Name", decoded(headers.get("mcp-name")), name);
  return { id, method, params, capabilities };
}

function metaOf(params: unknown): Readonly<Record<string, unknown>> {
  return isRecord(params) && isRecord(params._meta) ? params._meta : {};
}

function requireSame(header: string, value: string | null, expected: string): void {
  if (value === null) throw mismatch(`The header ${header} is missing.`);
  if (value !== expected)
    throw mismatch(`${header} is ${shown(value)}, and the body says ${shown(expected)}.`);
}

/** The text of a header, which may be UTF-8 in Base64. Throws AppError `header_mismatch` if it is neither that nor plain ASCII. */
function decoded(value: string | null): string | null {
  const encoded = value === null ? undefined : /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (value === null || (encoded === undefined && /^[\t -~]*$/.test(value))) return value;
  const bytes = Buffer.from(encoded ?? "", "base64");
  const isBase64 = encoded !== undefined && bytes.toString("base64") === encoded;
  const text = isBase64 ? decodeUtf8(bytes) : undefined;
  if (text === undefined) throw mismatch("Mcp-Name has characters that a header can't have.");
  return text;
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const shown = (value: string) => JSON.stringify(value.slice(0, 100));

function mismatch(message: string): AppError {
  return new AppError("invalid", "header_mismatch", message);
}

function unsupported(requested: string): AppError {
  return new AppError("invalid", "unsupported_revision", `Revision ${shown(requested)} is not supported.`, {
    details: { facts: { supported: [...statelessRevisions], requested: requested.slice(0, 100) } },
  });
}

function incomplete(key: string, what: string): AppError {
  return new AppError("invalid", "invalid_params", `_meta needs ${key}, ${what}.`);
}

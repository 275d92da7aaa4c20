import { AppError } from "../../../kit/app-error.ts";
import { isRecord } from "../../../kit/json/is-record.ts";
import { statelessRevision } from "./stateless/revision.ts";

const saidCharsMax = 1000;

/** Revisions with sessions, which the SDK's client speaks, the newest first. */
export const sessionRevisions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** All revisions that are spoken here, the newest first. */
export const spokenVersions: readonly string[] = [statelessRevision, ...sessionRevisions];

/** The reason why a server can't be used, for the operator. It contains no text from the server. */
export function describeFault(thrown: unknown): string {
  if (thrown instanceof AppError) return thrown.message;
  const { status, message } = partsOf(thrown);
  if (/\bRedirect (not followed|to (plain http|\S{1,2000}) not followed)/.test(message))
    return "it redirects to elsewhere, which is not followed; give the address it leads to";
  const type = /Unexpected content type: ([\w.+-]{1,40}\/[\w.+-]{1,40})/.exec(message)?.[1];
  if (type !== undefined) return `it answers with ${type} instead of MCP`;
  if (status === 401)
    return "it asks who is calling: log in to it by `argosy mcp login`, or send credentials in config.headers";
  if (status === 403) return "it refuses us (403)";
  if (status === 404) return "there is nothing at its address (404)";
  if (status !== undefined && status >= 400 && status < 600) return `it answers with status ${status}`;
  const versions = versionsIn(thrown, message);
  if (versions.length > 0)
    return `it speaks MCP ${versions.join(", ")}, and Argosy speaks ${spokenVersions.join(", ")}`;
  if (message.startsWith("MCP error")) return "it refused to begin";
  if (/protocol version/.test(message)) return "it speaks a version of MCP that is not known here";
  return "what it answers is no MCP";
}

/** Revisions of the protocol that a server names when it can't speak ours: in its answer, or in the data of its refusal. */
function versionsIn(thrown: unknown, message: string): string[] {
  const named = /protocol version is not supported: (\S{1,20})/.exec(message)?.[1];
  const data: unknown = thrown instanceof Error && "data" in thrown ? thrown.data : undefined;
  const supported = isRecord(data) ? (data.supported ?? data.supportedVersions) : undefined;
  const all: unknown[] = [named, ...(Array.isArray(supported) ? supported.slice(0, versionsMax) : [])];
  return all.filter((one): one is string => typeof one === "string" && /^\d{4}-\d{2}-\d{2}$/.test(one));
}

const versionsMax = 10;

/**
 * True if the server may speak the other of the two transports over HTTP: it has no such route or method, or answers with something else
 * (MCP 2025-11-25, "Backwards Compatibility").
 */
export function mayBeOtherTransport(thrown: unknown): boolean {
  if (thrown instanceof AppError) return false;
  const { status, message } = partsOf(thrown);
  if (status !== undefined) return [400, 404, 405, 406, 415, 501].includes(status);
  return /Invalid content type|Unexpected content type/.test(message);
}

/** The reason why a call failed, for the model; it contains the server's message if there is one. */
export function describeCallFault(tool: string, thrown: unknown): string {
  if (thrown instanceof AppError) return `${tool} failed: ${thrown.message}`;
  const { message } = partsOf(thrown);
  const said = /^MCP error -?\d+: (.*)$/s.exec(message)?.[1];
  if (said === "Connection closed") return `${tool} failed: its server ended during the call.`;
  if (said !== undefined) return `${tool} failed: ${said.slice(0, saidCharsMax).toWellFormed()}`;
  return `${tool} failed: its server gave no usable answer. Try it once more, or go on without it.`;
}

/** Returns true if the server no longer knows our session. The request was not carried out. */
export function isSessionGone(thrown: unknown): boolean {
  const { status } = partsOf(thrown);
  return status === 404 || status === 400;
}

/** Returns true if the server can't be reached. */
export function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof AppError && /^network_(failed|timed_out|refused)$/.test(thrown.code);
}

/** HTTP status and message of an SDK error. */
function partsOf(thrown: unknown): { status?: number; message: string } {
  if (!(thrown instanceof Error)) return { message: "" };
  const { message } = thrown;
  const isHttp = /^(Streamable HTTP error|SSE error):/.test(message);
  const code = "code" in thrown && typeof thrown.code === "number" && isHttp ? thrown.code : undefined;
  const named = /\(HTTP (\d{3})\)/.exec(message)?.[1];
  const status = code ?? (named === undefined ? undefined : Number(named));
  return status === undefined ? { message } : { status, message };
}

import { AppError } from "../../../kit/app-error.ts";

const saidCharsMax = 1000;

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
  if (message.startsWith("MCP error")) return "it refused to begin";
  if (/protocol version/.test(message)) return "it speaks a version of MCP that is not known here";
  return "what it answers is no MCP";
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

import { isRecord } from "../../../kit/json/is-record.ts";

/*
 * What an agent elsewhere says, read without trust: anything may be missing or of another type.
 */

export type A2aVersion = "1.0" | "0.3";

/** What is used of an agent's card. */
export interface RemoteCard {
  name: string;
  description: string;
  skills: readonly { name: string; description: string }[];
  /** Where it is called, and how. */
  url: string;
  version: A2aVersion;
}

/** State of a task, in words of 0.3. */
export interface RemoteReply {
  /** Absent if it answered with a message alone. */
  taskId?: string;
  contextId?: string;
  state: string;
  /** Texts of the answer, or of the status if there is none. */
  text: string;
  data: readonly unknown[];
}

const skillsMax = 32;
const nameCharsMax = 128;
const descriptionCharsMax = 1024;

const textOf = (value: unknown, charsMax: number): string =>
  typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim().slice(0, charsMax) : "";

const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** Reads a card of 1.0 or 0.3. Returns the fault as the end of a sentence. `base` is the address that the owner of the agent wrote. */
export function readCard(card: unknown, base: string): RemoteCard | { fault: string } {
  if (!isRecord(card)) return { fault: "has no agent card" };
  const place = placeIn(card);
  if (place === undefined) return { fault: "offers neither A2A 1.0 nor 0.3 over JSON-RPC" };
  const [url, own] = [URL.parse(place.url, base), URL.parse(base)];
  // The entry's headers are for the server that its author named.
  if (url === null || own === null || url.origin !== own.origin)
    return { fault: "has a card that leads to another server" };
  return {
    name: textOf(card.name, nameCharsMax),
    description: textOf(card.description, descriptionCharsMax),
    skills: listOf(card.skills)
      .slice(0, skillsMax)
      .map(({ name, id, description }) => ({
        name: textOf(name, nameCharsMax) || textOf(id, nameCharsMax),
        description: textOf(description, descriptionCharsMax),
      })),
    url: url.href,
    version: place.version,
  };
}

/** The newest version that both sides speak. */
function placeIn(card: Record<string, unknown>): { url: string; version: A2aVersion } | undefined {
  const interfaces = listOf(card.supportedInterfaces).filter(
    ({ protocolBinding: binding }) => binding === "JSONRPC",
  );
  for (const version of ["1.0", "0.3"] as const) {
    const one = interfaces.find(({ protocolVersion }) => isVersion(protocolVersion, version));
    if (typeof one?.url === "string") return { url: one.url, version };
  }
  if (!isVersion(card.protocolVersion, "0.3")) return undefined;
  const { url, preferredTransport = "JSONRPC" } = card;
  if (typeof url === "string" && preferredTransport === "JSONRPC") return { url, version: "0.3" };
  const other = listOf(card.additionalInterfaces).find(({ transport }) => transport === "JSONRPC");
  return typeof other?.url === "string" ? { url: other.url, version: "0.3" } : undefined;
}

const isVersion = (given: unknown, version: A2aVersion) =>
  typeof given === "string" && (given === version || given.startsWith(`${version}.`));

export interface RemoteQuestion {
  query: string;
  messageId: string;
  contextId: string | undefined;
}

/** Method and parameters of a question, which waits for the end of its task. */
export function askCall(
  version: A2aVersion,
  { query, messageId, contextId }: RemoteQuestion,
): [string, object] {
  const context = contextId === undefined ? {} : { contextId };
  if (version === "1.0") {
    const message = { messageId, ...context, role: "ROLE_USER", parts: [{ text: query }] };
    return ["SendMessage", { message, configuration: { returnImmediately: false } }];
  }
  const parts = [{ kind: "text", text: query }];
  const message = { kind: "message", messageId, ...context, role: "user", parts };
  return ["message/send", { message, configuration: { blocking: true } }];
}

export const getCall = (version: A2aVersion, id: string): [string, object] => [
  version === "1.0" ? "GetTask" : "tasks/get",
  { id },
];

export const cancelCall = (version: A2aVersion, id: string): [string, object] => [
  version === "1.0" ? "CancelTask" : "tasks/cancel",
  { id },
];

/** Reads the result of a question or of a task; undefined if it is neither a task nor a message. */
export function readReply(result: unknown): RemoteReply | undefined {
  if (!isRecord(result)) return undefined;
  // 1.0 wraps the answer to a message in its kind.
  const inner = isRecord(result.task) ? result.task : isRecord(result.message) ? result.message : result;
  const context =
    typeof inner.contextId === "string" && inner.contextId !== "" ? { contextId: inner.contextId } : {};
  if (isRecord(inner.status)) {
    const { id, status, artifacts } = inner;
    if (typeof id !== "string" || id === "" || typeof status.state !== "string") return undefined;
    const answered = partsOf(listOf(artifacts).flatMap(({ parts }) => listOf(parts)));
    const parts = partsOf(isRecord(status.message) ? listOf(status.message.parts) : []);
    const state = status.state
      .replace(/^TASK_STATE_/, "")
      .toLowerCase()
      .replaceAll("_", "-");
    return {
      taskId: id,
      ...context,
      state,
      ...(answered.text === "" && answered.data.length === 0 ? parts : answered),
    };
  }
  if (!Array.isArray(inner.parts)) return undefined;
  return { ...context, state: "completed", ...partsOf(listOf(inner.parts)) };
}

function partsOf(parts: readonly Record<string, unknown>[]): Pick<RemoteReply, "text" | "data"> {
  const texts = parts.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  return {
    text: texts.join("\n\n"),
    data: parts.flatMap(({ text, data }) => (text === undefined && data !== undefined ? [data] : [])),
  };
}

/** States in which a task goes on by itself. */
export const goesOn = ({ state }: RemoteReply): boolean => state === "submitted" || state === "working";

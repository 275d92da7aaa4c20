import { Type } from "@sinclair/typebox";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { isRecord } from "../../../kit/json/is-record.ts";
import { readStrictJson } from "../../../kit/json/strict-json.ts";
import type { ToolEntry } from "../../../manifest/agent/tools.ts";
import { publishedSchema } from "../../../manifest/schema/json-schema.ts";
import { readByTypeBox } from "../input-schema.ts";
import { urlFault } from "../network/address/vet-url.ts";
import type { GuardedNetwork } from "../network/guarded-network.ts";
import { headerFault } from "../network/request/request-headers.ts";
import type { ToolResult } from "../tool.ts";
import type { BindEntry, TypedTool } from "../tool-type.ts";
import {
  type A2aVersion,
  askCall,
  cancelCall,
  getCall,
  goesOn,
  type RemoteCard,
  type RemoteReply,
  readCard,
  readReply,
} from "./a2a-messages.ts";

type A2aEntry = Extract<ToolEntry, { type: "a2a" }>;

const cardBytesMax = 262_144;
const answerBytesMax = 5_242_880;
const cardTimeoutMs = 10_000;
const cancelTimeoutMs = 5_000;
/** A card is read again after this time. */
const cardKeptMs = 10 * 60_000;
const pollMs = 1_000;

const wellKnown = "/.well-known/agent-card.json";

const parameters = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 65_536, description: "What the other agent is asked." }),
    context_id: Type.Optional(
      Type.String({
        maxLength: 255,
        description: "`context_id` of its last answer, to continue that conversation.",
      }),
    ),
  },
  { additionalProperties: false },
);

/** `type: a2a`: a call asks an agent of another system over the Agent2Agent protocol. Its card says what it can do. */
export const bindA2aTool: BindEntry<"a2a"> = (entry, { path, ports: { network, clock } }) => {
  const { url, headers } = entry.config;
  const problems: Problem[] = [];
  const fault = urlFault(url);
  if (fault !== undefined) problems.push({ path: `${path}.config.url`, message: fault });
  for (const [name, value] of Object.entries(headers)) {
    const message = headerFault(name, value);
    if (message !== undefined) problems.push({ path: `${path}.config.headers.${name}`, message });
  }
  if (problems.length > 0) return { problems };
  const remote = new RemoteAgent(entry, network, clock);
  let lastCard: RemoteCard | undefined;
  let tools: readonly TypedTool[] = [toolOf(entry, remote, undefined)];
  return {
    source: {
      entry: entry.name,
      a2a: true,
      now() {
        if (remote.card !== lastCard) {
          lastCard = remote.card;
          tools = [toolOf(entry, remote, lastCard)];
        }
        return tools;
      },
      ready: () => remote.refresh(),
      otherName: () => entry.name,
    },
  };
};

function toolOf(entry: A2aEntry, remote: RemoteAgent, card: RemoteCard | undefined): TypedTool {
  return {
    tool: {
      name: entry.name,
      type: "a2a",
      description: entry.description ?? describe(entry, card),
      parameters: publishedSchema(parameters),
      execute: ({ query, context_id: contextId }, { signal }) =>
        remote.ask(String(query), typeof contextId === "string" ? contextId : undefined, signal),
      describeCall: () => ({ target: entry.config.url, operation: "ask" }),
    },
    read: readByTypeBox(parameters),
    timeoutMs: entry.timeout_seconds * 1000,
  };
}

function describe({ name }: A2aEntry, card: RemoteCard | undefined): string {
  if (card === undefined) return `Asks the agent ${name} of another system.`;
  const skills = card.skills.map((skill) => `- ${skill.name}: ${skill.description}`);
  return [
    `Asks the agent ${card.name || name} of another system. ${card.description}`.trim(),
    ...skills,
  ].join("\n");
}

/** An agent of another system. */
class RemoteAgent {
  readonly #entry: A2aEntry;
  readonly #network: GuardedNetwork;
  readonly #clock: Clock;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  /** Its card as last read; undefined before the first. */
  card: RemoteCard | undefined;

  constructor(entry: A2aEntry, network: GuardedNetwork, clock: Clock) {
    this.#entry = entry;
    this.#network = network;
    this.#clock = clock;
  }

  /** Reads the card if it is due. Undefined if nothing has to be waited for. Never rejects: a call says what is wrong. */
  refresh(): Promise<void> | undefined {
    if (this.#clock.monotonicMs() - this.#readAtMs < cardKeptMs) return undefined;
    this.#reading ??= this.#getCard(new AbortController().signal)
      .then(() => undefined)
      .catch(() => undefined)
      .finally(() => {
        this.#reading = undefined;
        // One that can't be reached isn't asked at each run.
        this.#readAtMs = this.#clock.monotonicMs();
      });
    return this.card === undefined ? this.#reading : undefined;
  }

  async ask(query: string, contextId: string | undefined, signal: AbortSignal): Promise<ToolResult> {
    const card = this.card ?? (await this.#getCard(signal));
    if ("fault" in card) return failed(`${this.#entry.name} ${card.fault}.`);
    let reply: RemoteReply | undefined;
    try {
      const question = { query, messageId: crypto.randomUUID(), contextId };
      reply = await this.#call(card, askCall(card.version, question), signal);
      while (goesOn(reply) && reply.taskId !== undefined) {
        await sleep(this.#clock, pollMs, signal);
        reply = await this.#call(card, getCall(card.version, reply.taskId), signal);
      }
      return this.#resultOf(reply);
    } catch (thrown) {
      if (reply?.taskId !== undefined && goesOn(reply)) void this.#cancel(card, reply.taskId);
      if (thrown instanceof RemoteFault) return failed(`${this.#entry.name} ${thrown.message}`);
      throw thrown;
    }
  }

  #resultOf({ state, text, data, contextId }: RemoteReply): ToolResult {
    const { name } = this.#entry;
    if (state === "completed")
      return {
        success: true,
        data: { answer: text, ...(data.length > 0 && { data }), ...(contextId && { context_id: contextId }) },
      };
    const quotation = text === "" ? "" : ` It says: ${text.slice(0, 2_000)}`;
    if (state === "input-required" || state === "auth-required")
      return failed(`${name} needs something before it can go on (${state}).${quotation}`);
    return failed(`${name} did not complete the task (${state.slice(0, 64)}).${quotation}`);
  }

  async #getCard(signal: AbortSignal): Promise<RemoteCard | { fault: string }> {
    const { url, allow_localhost } = this.#entry.config;
    const address = /\.json$/.test(new URL(url).pathname) ? url : `${url.replace(/\/$/, "")}${wellKnown}`;
    const { status, body } = await this.#network.request({
      url: address,
      method: "GET",
      headers: this.#entry.config.headers,
      timeoutMs: cardTimeoutMs,
      bodyBytesMax: cardBytesMax,
      whenLonger: "refuse",
      redirectsMax: 0,
      allowsLoopback: allow_localhost,
      signal,
    });
    if (status !== 200) return { fault: `answered ${status} for its agent card` };
    const card = readCard(await parsed(body), url);
    if (!("fault" in card)) {
      this.card = card;
      this.#readAtMs = this.#clock.monotonicMs();
    }
    return card;
  }

  async #call(
    { url, version }: { url: string; version: A2aVersion },
    [method, params]: [string, object],
    signal: AbortSignal,
    timeoutMs = this.#entry.timeout_seconds * 1000,
  ): Promise<RemoteReply> {
    const { status, body } = await this.#network.request({
      url,
      method: "POST",
      headers: {
        ...this.#entry.config.headers,
        "content-type": "application/json",
        accept: "application/json",
        "a2a-version": version,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      timeoutMs,
      bodyBytesMax: answerBytesMax,
      whenLonger: "refuse",
      redirectsMax: 0,
      allowsLoopback: this.#entry.config.allow_localhost,
      signal,
    });
    const answer = await parsed(body);
    if (isRecord(answer) && isRecord(answer.error)) {
      const { message, code } = answer.error;
      throw new RemoteFault(`answered: ${String(message).slice(0, 500)} (${String(code).slice(0, 16)}).`);
    }
    if (status !== 200) throw new RemoteFault(`answered ${status}.`);
    const reply = isRecord(answer) ? readReply(answer.result) : undefined;
    if (reply === undefined) throw new RemoteFault("answered with neither a task nor a message.");
    return reply;
  }

  async #cancel(card: RemoteCard, taskId: string): Promise<void> {
    const { signal } = new AbortController();
    await this.#call(card, cancelCall(card.version, taskId), signal, cancelTimeoutMs).catch(() => undefined);
  }
}

class RemoteFault extends Error {}

const failed = (error: string): ToolResult => ({ success: false, error });

async function parsed(body: Uint8Array): Promise<unknown> {
  try {
    return await inPieces(readStrictJson(body));
  } catch (thrown) {
    if (thrown instanceof AppError) return undefined;
    throw thrown;
  }
}

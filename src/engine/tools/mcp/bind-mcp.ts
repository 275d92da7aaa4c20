import { AppError, type Problem } from "../../../kit/app-error.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import { isSecretName } from "../../../kit/secrets/redact-text.ts";
import { visibleText } from "../../../kit/text/visible-text.ts";
import type { ToolEntry } from "../../../manifest/agent/tools.ts";
import type { ToolResult } from "../tool.ts";
import type { BindEntry, ToolSource, TypedTool } from "../tool-type.ts";
import type { ServerTool } from "./admit-tool.ts";
import { checkInput, checkOutput } from "./check-by-schema.ts";
import { describeCallFault } from "./describe-fault.ts";
import type { McpToolList } from "./list-tools.ts";
import { type AnsweredCall, AskedCall } from "./mcp-client.ts";
import type { McpServer } from "./mcp-server.ts";
import { type Offer, offerTools } from "./offer-tools.ts";
import { readQuestions } from "./questions/read-question.ts";
import { readResult } from "./read-result.ts";
import { addressOf } from "./server-address.ts";
import { isCallLost } from "./sessions/session-calls.ts";
import { hashedName, modelName } from "./tool-names.ts";

type McpEntry = Extract<ToolEntry, { type: "mcp" }>;

/** Factor by which a server that reports progress may exceed the time limit of a silent one. */
const progressFactor = 10;
const timeoutMsMax = 3_600_000;
/** Longest text of one report of progress. */
const progressCharsMax = 1000;
/** What a server may have kept with a paused run. */
const stateCharactersMax = 64 * 1024;

/** `type: mcp`: the entry is a server, and its tools become the agent's. Starts nothing. */
export const bindMcp: BindEntry<"mcp"> = (entry, { path, ports }) => {
  const problems: Problem[] = [];
  if (entry.parameters !== undefined) {
    problems.push({
      path: `${path}.parameters`,
      message: "can't be given: the server says what its tools take",
    });
  }
  const address = addressOf(entry.config);
  if ("faults" in address) {
    problems.push(...address.faults.map(({ key, message }) => ({ path: `${path}.config.${key}`, message })));
  }
  if (ports.mcp === undefined) problems.push({ path: `${path}.type`, message: "mcp is not available here" });
  if (problems.length > 0 || "faults" in address || ports.mcp === undefined) return { problems };
  const { client_secret } = entry.config.oauth ?? {};
  if (client_secret !== undefined) ports.conceal(client_secret);
  for (const [name, value] of Object.entries({ ...entry.config.env, ...entry.config.headers })) {
    if (isSecretName(name)) ports.conceal(value);
  }
  return { source: serverSource(entry, ports.mcp.at(entry.name, address)) };
};

/** An entry's view of a server: the allowed tools with the entry's limits. */
function serverSource(entry: McpEntry, server: McpServer): ToolSource {
  let seen: McpToolList | undefined;
  let offer: Offer = { tools: [], hash: "", notes: [] };
  let tools: readonly TypedTool[] = [];
  const look = () => {
    if (seen === server.listed) return;
    seen = server.listed;
    offer = offerTools(seen, entry.config);
    tools = offer.tools.map((tool) => typedTool(entry, server, tool));
  };
  return {
    entry: entry.name,
    now() {
      look();
      return tools;
    },
    ready: () => server.ready(),
    relisted: () => server.relisted(),
    otherName: (name) => hashedName(entry.name, originalName(name)),
    mcp: {
      server,
      status() {
        look();
        return { ...server.status(), offered: tools.length, hash: offer.hash, notes: offer.notes };
      },
    },
  };

  function originalName(name: string): string {
    return offer.tools.find((tool) => modelName(entry.name, tool.name) === name)?.name ?? name;
  }
}

function typedTool(entry: McpEntry, server: McpServer, tool: ServerTool): TypedTool {
  const name = modelName(entry.name, tool.name);
  const idleMs = entry.timeout_seconds * 1000;
  const check = checkOutput(tool.output);
  const told = tool.description === "" ? `${tool.name} of ${entry.name}.` : tool.description;
  return {
    tool: {
      name,
      type: "mcp",
      description: entry.description === undefined ? told : `${entry.description}\n\n${told}`,
      parameters: tool.parameters,
      async execute(input, context) {
        const { clock, signal, progress, maskKnown = (text) => text, mayAsk, answered } = context;
        const tooSilent = () =>
          new AppError(
            "timed_out",
            "tool_timeout",
            `its server was silent for ${entry.timeout_seconds} seconds.`,
          );
        const patience = startDeadline(clock, idleMs, tooSilent, [signal]);
        try {
          const call = (given: AnsweredCall | undefined) =>
            server.call(tool.name, input, {
              signal: patience.signal,
              ...(mayAsk === true && { mayAsk }),
              ...(given !== undefined && { answered: given }),
              progress({ progress: done, total, message }) {
                patience.restart(idleMs, tooSilent);
                progress?.({
                  tool: name,
                  done,
                  ...(total !== undefined && { total }),
                  ...(message !== undefined && {
                    message: maskKnown(visibleText(message)).slice(0, progressCharsMax),
                  }),
                });
              },
            });
          const outcome = await call(answered).catch((thrown) => {
            if (isCallLost(thrown) && tool.isRepeatable) return call(undefined);
            throw thrown;
          });
          if (outcome instanceof AskedCall) return questionsOf(entry.name, name, outcome, mayAsk === true);
          return await inPieces(readResult(outcome, check), signal);
        } catch (thrown) {
          const cause = patience.expired ? patience.signal.reason : thrown;
          if (signal.aborted) throw signal.reason;
          return { success: false, error: describeCallFault(name, cause) };
        } finally {
          patience.dispose();
        }
      },
      describeCall: () => ({ target: entry.name, operation: tool.name }),
    },
    read: checkInput(tool.parameters),
    ...(tool.isRepeatable && { isRepeatable: () => true }),
    timeoutMs: Math.min(timeoutMsMax, idleMs * progressFactor),
  };
}

/** The result of a call whose server asks a person, or refuses what it asks. */
function questionsOf(server: string, tool: string, asked: AskedCall, mayAsk: boolean): ToolResult {
  const read = mayAsk
    ? readQuestions(server, asked.requests)
    : { fault: "it asks for input that can't be given here" };
  if ("fault" in read)
    return { success: false, error: `${tool} failed: its server can't go on: ${read.fault}.` };
  const { questions } = read;
  if (JSON.stringify(asked.state).length > stateCharactersMax)
    return {
      success: false,
      error: `${tool} failed: its server wants too much kept while a person is asked.`,
    };
  const error = `${tool} waits for an answer of a person.`;
  return { success: false, error, asks: { questions, state: asked.state } };
}

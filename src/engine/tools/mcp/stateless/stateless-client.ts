import type { Clock } from "../../../../kit/clock.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import type { Line } from "../line.ts";
import { listTools, type McpToolList, noTools } from "../list-tools.ts";
import { AskedCall, type CallOptions, type CallOutcome, type McpClient } from "../mcp-client.ts";
import { RpcFault } from "../rpc-fault.ts";
import type { Discovered } from "./discover.ts";
import { listenForTools } from "./listen-for-tools.ts";
import { headersOfCall, type ParamHeader } from "./param-headers.ts";
import type { Notified, StatelessPeer } from "./peer.ts";
import { finishTask } from "./poll-task.ts";
import { modernErrors, tasksExtension } from "./revision.ts";

export interface StatelessClientOptions {
  clock: Clock;
  peer: StatelessPeer;
  line: Line;
  discovered: Discovered;
  /** True if inputs of tools go into headers, too. */
  isHttp: boolean;
  toolsChanged: () => void;
}

/** Rounds of one call without a question. */
const roundsMax = 10;
/** A list may be fresh for a day at most. */
const freshMsMax = 86_400_000;

/** A client for a server that speaks our revision without sessions. */
export function createStatelessClient(options: StatelessClientOptions): McpClient {
  const { clock, peer, line, discovered, isHttp, toolsChanged } = options;
  const stopping = new AbortController();
  const headers = new Map<string, readonly ParamHeader[]>();
  let freshMs = 0;
  const listening = discovered.announcesTools
    ? listenForTools(peer, { clock, signal: stopping.signal, toolsChanged })
    : undefined;

  async function list(signal: AbortSignal): Promise<McpToolList> {
    if (!discovered.hasTools) return noTools;
    freshMs = freshMsMax;
    headers.clear();
    const listed = await listTools(
      async (cursor) => {
        const page = await peer.ask("tools/list", cursor === undefined ? {} : { cursor }, { signal });
        requireComplete(page);
        freshMs = Math.min(freshMs, freshMsOf(page.ttlMs));
        return page;
      },
      isHttp ? { withHeaders: true } : {},
    );
    for (const { name, headers: own } of listed.tools) if (own !== undefined) headers.set(name, own);
    return listed;
  }

  async function ask(tool: string, input: Record<string, unknown>, more: object, of: CallOptions) {
    const send = () =>
      peer.ask(
        "tools/call",
        { name: tool, arguments: input, ...more },
        {
          signal: of.signal,
          capabilities: capabilitiesOf(of),
          notified: progressOf(of.progress),
          wantsProgress: true,
          headers: headersOfCall(headers.get(tool) ?? [], input),
        },
      );
    try {
      return await send();
    } catch (thrown) {
      // Its schema has changed, and with it the headers that it wants.
      if (!(thrown instanceof RpcFault) || thrown.code !== modernErrors.headerMismatch || !isHttp)
        throw thrown;
      await list(of.signal);
      return await send();
    }
  }

  async function call(tool: string, input: Record<string, unknown>, of: CallOptions): Promise<CallOutcome> {
    const { answered, signal } = of;
    const poll = (taskId: string, responses?: Readonly<Record<string, unknown>>) =>
      finishTask(peer, { taskId, responses }, { ...of, clock, capabilities: capabilitiesOf(of) });
    if (answered?.state.taskId !== undefined) return poll(answered.state.taskId, answered.responses);
    let more: object =
      answered === undefined ? {} : continuedBy(answered.state.requestState, answered.responses);
    for (let round = 0; round < roundsMax; round++) {
      const result = await ask(tool, input, more, of);
      signal.throwIfAborted();
      switch (result.resultType ?? "complete") {
        case "complete":
          return result;
        case "task":
          return poll(taskIdOf(result));
        case "input_required": {
          const state = typeof result.requestState === "string" ? result.requestState : undefined;
          if (isRecord(result.inputRequests) && Object.keys(result.inputRequests).length > 0)
            return new AskedCall(result.inputRequests, state === undefined ? {} : { requestState: state });
          if (state === undefined)
            throw new RpcFault(-32_603, "The server asks for nothing and has no result.");
          more = continuedBy(state, undefined);
          break;
        }
        default:
          throw new RpcFault(-32_603, "The server answered with a result of an unknown type.");
      }
    }
    throw new RpcFault(-32_603, `The server had no result after ${roundsMax} rounds.`);
  }

  return {
    list,
    call,
    async ping(signal) {
      // An error is an answer, too.
      await peer.ask("server/discover", {}, { signal }).catch(() => signal.throwIfAborted());
    },
    freshMs: () => (listening?.isOpen() === true ? Number.POSITIVE_INFINITY : freshMs),
    async close() {
      stopping.abort(new DOMException("The connection was closed.", "AbortError"));
      await line.close();
    },
    ended: peer.closed.then(() => line.lostBy()),
  };
}

const continuedBy = (requestState: string | undefined, inputResponses: object | undefined) => ({
  ...(inputResponses === undefined ? {} : { inputResponses }),
  ...(requestState === undefined ? {} : { requestState }),
});

const capabilitiesOf = ({ mayAsk }: CallOptions) => ({
  extensions: { [tasksExtension]: {} },
  ...(mayAsk === true && { elicitation: { form: {}, url: {} } }),
});

function progressOf(report: CallOptions["progress"]): Notified {
  return (method, { progress, total, message }) => {
    if (method !== "notifications/progress" || typeof progress !== "number") return;
    report({
      progress,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    });
  };
}

function requireComplete({ resultType = "complete" }: Readonly<Record<string, unknown>>): void {
  if (resultType !== "complete")
    throw new RpcFault(-32_603, "The server answered a list with something else.");
}

function taskIdOf({ taskId }: Readonly<Record<string, unknown>>): string {
  if (typeof taskId === "string" && taskId !== "" && taskId.length <= 1024) return taskId;
  throw new RpcFault(-32_603, "The server answered with a task that has no id.");
}

function freshMsOf(ttlMs: unknown): number {
  return typeof ttlMs === "number" && ttlMs > 0 ? ttlMs : 0;
}

import { splitLines } from "../../../kit/text/split-lines.ts";
import { queryString, segment } from "../../paths.ts";
import type { ContextView } from "./context-window.ts";
import type {
  History,
  HistoryCleared,
  MemoryCleared,
  MemoryExportLine,
  MemorySessionList,
} from "./memory.ts";

export interface HistoryPage {
  limit?: number;
  cursor?: string;
  full?: boolean;
}

/** Functions for requests: one for a whole document, one for a body that is read as a stream. */
export interface MemoryCalls {
  call: <T>(method: string, path: string) => Promise<T>;
  read: (path: string, signal: AbortSignal | undefined) => Promise<Response>;
}

/** Enough for a turn of 8 MiB in which each character is escaped. */
const lineBytesMax = 64 * 1024 * 1024;

/** Methods of the daemon's client for conversations. */
export function memoryClient({ call, read }: MemoryCalls) {
  const memoryPath = (agent: string) => `/v1/memory/${segment(agent)}`;
  const historyPath = (agent: string, session: string) => `${memoryPath(agent)}/history/${segment(session)}`;
  return {
    /** Without parameters, returns the latest 1000 messages with only role and content. */
    history: (agent: string, session: string, { limit, cursor, full }: HistoryPage = {}) =>
      call<History>("GET", `${historyPath(agent, session)}${queryString({ limit, cursor, full })}`),
    clearHistory: (agent: string, session: string) =>
      call<HistoryCleared>("DELETE", historyPath(agent, session)),
    /** Returns the prompt that a run of the session would send to the model now. */
    contextWindow: (agent: string, session: string, query?: string) =>
      call<ContextView>("GET", `${memoryPath(agent)}/context/${segment(session)}${queryString({ query })}`),
    listSessions: (agent: string, page: { limit?: number; cursor?: string } = {}) =>
      call<MemorySessionList>("GET", `${memoryPath(agent)}/sessions${queryString(page)}`),
    /** Deletes every conversation of the agent. */
    clearMemory: (agent: string) => call<MemoryCleared>("DELETE", memoryPath(agent)),
    /** Yields the lines of an export as they arrive. A complete export ends with a line of type `end`. */
    async *exportMemory(
      agent: string,
      session?: string,
      signal?: AbortSignal,
    ): AsyncGenerator<MemoryExportLine, void> {
      const { body } = await read(
        `${memoryPath(agent)}/export${queryString({ session_id: session })}`,
        signal,
      );
      if (body === null) return;
      for await (const line of splitLines(body, lineBytesMax)) yield JSON.parse(line) as MemoryExportLine;
    },
  };
}

import { queryString, segment } from "../../paths.ts";
import type { EpisodeList, EpisodeRecord, EpisodesForgotten, NewEpisode } from "./episodes.ts";
import type {
  MemoryAdded,
  MemoryForgotten,
  MemoryReindexing,
  MemoryTexts,
  NewMemory,
  SemanticResults,
  SessionForgotten,
} from "./semantic-memory.ts";

/** Selects memories by session and user; all memories if both are absent. */
export interface RecallSelection {
  session_id?: string;
  user?: string;
}

export interface RecallPage extends RecallSelection {
  limit?: number;
  cursor?: string;
}

/** Selects memories to delete: those that match, or all of the agent. */
export type MemoryForgetting = (RecallSelection & { id?: string }) | { all: true };

type RecallCall = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Methods of the daemon's client for agents' texts and episodes. */
export function recallClient(call: RecallCall) {
  const memoryPath = (agent: string) => `/v1/memory/${segment(agent)}`;
  const textsPath = (agent: string) => `${memoryPath(agent)}/semantic`;
  const episodesPath = (agent: string) => `${memoryPath(agent)}/episodes`;
  return {
    searchMemory: (
      agent: string,
      search: RecallSelection & { query: string; top_k?: number; score_threshold?: number },
    ) => call<SemanticResults>("GET", `${textsPath(agent)}${queryString(search)}`),
    addMemory: (agent: string, memory: NewMemory) => call<MemoryAdded>("POST", textsPath(agent), memory),
    listMemory: (agent: string, page: RecallPage = {}) =>
      call<MemoryTexts>("GET", `${textsPath(agent)}/texts${queryString(page)}`),
    forgetMemory: (agent: string, what: MemoryForgetting) =>
      call<MemoryForgotten>("DELETE", `${textsPath(agent)}${queryString(what)}`),
    /** Deletes one memory. */
    forgetMemoryById: (agent: string, id: string) =>
      call<MemoryForgotten>("DELETE", `${textsPath(agent)}/${segment(id)}`),
    /** Embeds all memories anew. `forget_lost`: also if some texts are missing, which are then lost. */
    reindexMemory: (agent: string, query: { forget_lost?: "true" } = {}) =>
      call<MemoryReindexing>("POST", `${textsPath(agent)}/reindex${queryString(query)}`),
    listEpisodes: (agent: string, page: RecallPage & { type?: string } = {}) =>
      call<EpisodeList>("GET", `${episodesPath(agent)}${queryString(page)}`),
    addEpisode: (agent: string, episode: NewEpisode) =>
      call<EpisodeRecord>("POST", episodesPath(agent), episode),
    forgetEpisodes: (agent: string, what: MemoryForgetting) =>
      call<EpisodesForgotten>("DELETE", `${episodesPath(agent)}${queryString(what)}`),
    /** Deletes a session from every memory of the agent. */
    forgetSession: (agent: string, session: string) =>
      call<SessionForgotten>("DELETE", `${memoryPath(agent)}/sessions/${segment(session)}`),
  };
}

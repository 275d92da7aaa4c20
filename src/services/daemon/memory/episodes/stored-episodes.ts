import type {
  Episode,
  EpisodicMemory,
  MemoryOwner,
  MemoryScope,
} from "../../../../engine/memory/long-term-memory.ts";
import type { NewId } from "../../../../kit/id.ts";
import { maskValues } from "../../../../kit/secrets/mask-values.ts";
import type { Storage } from "../../../../storage/storage.ts";
import type { EpisodeTables } from "./schema.ts";
import {
  candidateEpisodes,
  deleteEpisodes,
  type EpisodeFilter,
  type EpisodePosition,
  type EpisodeRank,
  insertEpisode,
  listEpisodes,
  readEpisodes,
  type StoredEpisode,
} from "./store.ts";

/** Number of newest, of most important and of next episodes of a user, and of nobody in particular, that are ranked. Others are not found. */
const candidatesMax = 200;

/** An agent's episodes, with the operations that the API offers. */
export interface StoredEpisodes extends EpisodicMemory {
  add(owner: MemoryOwner, episode: Omit<StoredEpisode, "id">): Promise<StoredEpisode>;
  page(
    owner: MemoryOwner,
    filter: EpisodeFilter,
    page: { before?: EpisodePosition; limit: number },
  ): Promise<StoredEpisode[]>;
  /** Deletes the matching episodes and returns their number. */
  forget(owner: MemoryOwner, filter: EpisodeFilter): Promise<number>;
}

export interface EpisodePorts {
  /** Returns the database, opened at the first use. */
  open: () => Promise<Storage<EpisodeTables>>;
  newId: NewId;
  /** Masks secrets before storing. */
  mask: (text: string) => string;
}

/** Episodes in a database. A prompt gets the `resultsMax` highest-ranked ones. */
export function storedEpisodes({ open, newId, mask }: EpisodePorts, resultsMax: number): StoredEpisodes {
  const add = async (owner: MemoryOwner, episode: Omit<StoredEpisode, "id">): Promise<StoredEpisode> => {
    const stored = {
      ...episode,
      id: newId(),
      summary: mask(episode.summary),
      outcome: mask(episode.outcome),
      context: maskValues(episode.context, mask) as Record<string, unknown>,
    };
    await insertEpisode(await open(), owner, stored);
    return stored;
  };
  return {
    add,
    async recall({ user, ...owner }, { now }) {
      const storage = await open();
      const users = user === undefined || user === "" ? [""] : ["", user];
      const read = await Promise.all(
        users.map((one) => candidateEpisodes(storage, owner, one, { now, limit: candidatesMax })),
      );
      const candidates = new Map(read.flat().map((candidate) => [candidate.id, candidate]));
      const recalled = rankEpisodes([...candidates.values()], now).slice(0, resultsMax);
      const episodes = await readEpisodes(
        storage,
        owner,
        recalled.map(({ id }) => id),
      );
      return episodes.map(episodeOf);
    },
    async record({ user = "", sessionId, ...owner }: MemoryScope, { timestamp, ...episode }) {
      await add(owner, { ...episode, at: new Date(timestamp), sessionId, user });
    },
    page: async (owner, filter, page) => listEpisodes(await open(), owner, filter, page),
    async forgetSession({ sessionId, ...owner }) {
      await deleteEpisodes(await open(), owner, { sessionId });
    },
    forget: async (owner, filter) => deleteEpisodes(await open(), owner, filter),
  };
}

function episodeOf({ event_type, summary, context, outcome, at, importance }: StoredEpisode): Episode {
  return { event_type, summary, context, outcome, timestamp: at.toISOString(), importance };
}

/** Factor by which an episode's recency decays each hour; it halves in six days. */
const hourlyDecay = 0.995;
const hourMs = 3_600_000;

/**
 * Sorts episodes by importance plus recency at `now`, both 0 to 1, highest first. This is the memory retrieval of generative agents (Park
 * et al. 2023, "Generative Agents: Interactive Simulacra of Human Behavior", 4.1: exponential decay of 0.995 an hour), without its third
 * part, relevance, which semantic memory covers.
 */
function rankEpisodes(episodes: readonly EpisodeRank[], now: Date): EpisodeRank[] {
  const ranked = episodes.map((episode) => ({ episode, rank: rankOf(episode, now) }));
  ranked.sort((a, b) => b.rank - a.rank || b.episode.at.getTime() - a.episode.at.getTime());
  return ranked.map(({ episode }) => episode);
}

function rankOf({ importance, at }: EpisodeRank, now: Date): number {
  // What is still to come counts by its distance, too: otherwise an episode dated far ahead would be the newest for ever.
  const hours = Math.abs(now.getTime() - at.getTime()) / hourMs;
  return importance + hourlyDecay ** hours;
}

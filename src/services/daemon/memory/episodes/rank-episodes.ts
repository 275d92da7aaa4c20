import type { StoredEpisode } from "./store.ts";

/** Factor by which an episode's recency decays each hour; it halves in six days. */
const hourlyDecay = 0.995;
const hourMs = 3_600_000;

/**
 * Sorts episodes by importance plus recency at `now`, both 0 to 1, highest first. This is the memory retrieval of generative agents (Park
 * et al. 2023, "Generative Agents: Interactive Simulacra of Human Behavior", 4.1: exponential decay of 0.995 an hour), without its third
 * part, relevance, which semantic memory covers.
 */
export function rankEpisodes(episodes: readonly StoredEpisode[], now: Date): StoredEpisode[] {
  const ranked = episodes.map((episode) => ({ episode, rank: rankOf(episode, now) }));
  ranked.sort((a, b) => b.rank - a.rank || b.episode.at.getTime() - a.episode.at.getTime());
  return ranked.map(({ episode }) => episode);
}

function rankOf({ importance, at }: StoredEpisode, now: Date): number {
  const hours = Math.max(0, now.getTime() - at.getTime()) / hourMs;
  return importance + hourlyDecay ** hours;
}

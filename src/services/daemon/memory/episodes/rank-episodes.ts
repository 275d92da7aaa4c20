import type { StoredEpisode } from "./store.ts";

/** What is left of an episode's recency after each hour: a half after six days. */
const hourlyDecay = 0.995;
const hourMs = 3_600_000;

/**
 * The episodes that matter most at `now`, the most first: importance plus recency, both 0 to 1. That is how generative agents
 * retrieve memories (Park et al. 2023, "Generative Agents: Interactive Simulacra of Human Behavior", 4.1: exponential decay of
 * 0.995 an hour), without their third part, relevance, which semantic memory is for.
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

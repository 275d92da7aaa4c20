import type { Columns } from "../../../../storage/tables/columns.ts";

/** Episodic memory: events from the runs of each tenant's agents, and events that callers added. */
export const episodeTables = ({ table, id, text, instant, real, json, index, primaryKey }: Columns) => ({
  episodes: table(
    "episodes",
    {
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      /** Ascending. */
      id: id("id").notNull(),
      /** Empty if the episode belongs to no session. */
      sessionId: text("session_id").notNull(),
      /** Empty if the episode belongs to no particular user. */
      user: text("user_name").notNull(),
      eventType: text("event_type").notNull(),
      summary: text("summary").notNull(),
      context: json<Record<string, unknown>>("context").notNull(),
      outcome: text("outcome").notNull(),
      at: instant("at").notNull(),
      /** From 0 to 1. */
      importance: real("importance").notNull(),
    },
    (episode) => [
      primaryKey({ columns: [episode.tenant, episode.agent, episode.id] }),
      index("episodes_by_time").on(episode.tenant, episode.agent, episode.at, episode.id),
      // Recall reads the head of each of these two, once for the user and once for episodes of nobody in particular.
      index("episodes_newest_of_user").on(
        episode.tenant,
        episode.agent,
        episode.user,
        episode.at,
        episode.id,
        episode.importance,
      ),
      index("episodes_important_of_user").on(
        episode.tenant,
        episode.agent,
        episode.user,
        episode.importance,
        episode.at,
        episode.id,
      ),
    ],
  ),
});

export type EpisodeTables = ReturnType<typeof episodeTables>;

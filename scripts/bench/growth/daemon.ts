import { systemClock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/id.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { CostLedger } from "../../../src/services/daemon/costs/cost-ledger.ts";
import { presentHistory, presentSummary } from "../../../src/services/daemon/costs/present-costs.ts";
import { historySince } from "../../../src/services/daemon/costs/read-query.ts";
import { storedEpisodes } from "../../../src/services/daemon/memory/episodes/stored-episodes.ts";
import { conversationStore } from "../../../src/services/daemon/memory/stores/sql/sql-store.ts";
import { migrations } from "../../../src/services/daemon/migrations.gen.ts";
import { createRunStatistics } from "../../../src/services/daemon/run-stats/read-stats.ts";
import { tables } from "../../../src/services/daemon/tables.ts";
import { listTraces } from "../../../src/services/daemon/traces/list-store.ts";
import { pruneTraces } from "../../../src/services/daemon/traces/store.ts";
import { traceText } from "../../../src/services/daemon/traces/trace-text.ts";
import { recordedTrace } from "../../../tests/support/recorded-trace.ts";
import { numbered, openFilled, type Place } from "./fill.ts";

/** Episodes, traces and facts of runs of the daemon: `rows` of each in 80 days. */
export async function daemonGrowth(place: Place, rows: number) {
  const now = systemClock.now();
  const at = `(${now.getTime()} - (${rows} - i) * ${Math.floor((80 * 86_400_000) / rows)})`;
  const id = numbered("", "i");
  const body = traceText(recordedTrace("trace", now.getTime()));
  const run = {
    tenant: "'t'",
    trace_id: id,
    agent: "'a' || (i % 5)",
    started_at: at,
    duration_ms: "(i * 7919) % 100003",
    model: "case when i % 5000 = 0 then 'rare' else 'm' || (i % 3) end",
    cost_micros: "i % 1000",
  };
  const hour = `(${Math.floor(now.getTime() / 3_600_000) * 3_600_000} - (i / 15) * 3600000)`;
  // No more are kept: the newest.
  const factCount = Math.min(rows, 200_000);
  const factAt = at.replace(String(rows), String(factCount));
  const storage = await openFilled(place, {
    service: "daemon",
    tables,
    migrations,
    rows: {
      episodes: {
        count: rows,
        columns: {
          tenant: "'t'",
          agent: "'a'",
          id,
          session_id: "''",
          user_name: "case when i % 2 = 0 then '' else 'u' || (i % 101) end",
          event_type: "'note'",
          summary: "'A summary of some length.'",
          context: "'{}'",
          outcome: "'ok'",
          at,
          importance: "(i % 97) / 97.0",
        },
      },
      traces: {
        count: rows,
        columns: {
          ...run,
          session_id: "'s' || (i % 1009)",
          status: "'OK'",
          bytes: String(body.length),
          body: `'${body.replaceAll("'", "''")}'`,
        },
      },
      // Each hour of 180 days, or of as many as there are rows for, by five agents with three models.
      usage_tallies: {
        count: Math.min(rows, 180 * 24 * 15),
        columns: {
          tenant: "'t'",
          starts_at: hour,
          agent: "'a' || (i % 5)",
          provider: "'p'",
          model: "'m' || (i / 5 % 3)",
          cost_micros: "i % 1000",
          input_tokens: "100",
          output_tokens: "20",
          calls: "1",
          unpriced_calls: "0",
          estimated_calls: "0",
          latency_ms: "12.5",
        },
      },
      // The first session has 20,000 turns, the others ten.
      turns: {
        count: rows,
        columns: {
          tenant: "'t'",
          agent: "'a'",
          session_id: "case when i < 20000 then 's0' else 's' || (i / 10) end",
          seq: "i",
          role: "case when i % 2 = 0 then 'user' else 'assistant' end",
          content: "'Hello, this is a question of some length.'",
          at,
          token_count: "10",
          metadata: "'{}'",
        },
      },
      sessions: {
        count: Math.max(1, (rows - 20_000) / 10),
        columns: {
          tenant: "'t'",
          agent: "'a'",
          session_id: "case when i = 0 then 's0' else 's' || (i + 2000) end",
          life: "'l'",
          last_seq: "10",
          turns: "10",
          tokens: "100",
          first_at: "0",
          last_at: `${now.getTime()} - i`,
          summary_up_to: "0",
        },
      },
      run_facts: {
        count: factCount,
        columns: { ...run, started_at: factAt, outcome: "'OK'", input_tokens: "100", output_tokens: "20" },
      },
    },
  });
  const recall = storedEpisodes({ open: async () => storage, newId, mask: (text) => text }, 5);
  const scope = { tenant: "t", agent: "a", sessionId: "s", user: "u1" };
  const { signal } = new AbortController();
  const page = (filter: object) => listTraces(storage, "t", { ...filter, limit: 50 });
  const statistics = createRunStatistics(storage, async () => undefined);
  const since = (days: number) => ({ since: new Date(now.getTime() - days * 86_400_000).toISOString() });
  const ledger = new CostLedger({ storage, clock: systemClock, newId, log: silentLogger });
  const ago = (days: number) => new Date(now.getTime() - days * 86_400_000);
  const history = (interval: "hour" | "day", days: number) => async () => {
    const span = historySince(now, interval, ago(days));
    return presentHistory(interval, span, await ledger.intervals("t", span));
  };
  const conversations = conversationStore(storage, newId);
  const session = { tenant: "t", agent: "a", sessionId: "s0" };
  return {
    storage,
    asked: {
      "costs of 180 days": async () =>
        presentSummary(await ledger.totals("t", { since: ago(180) }), undefined),
      "costs by hour, 180 days": history("hour", 180),
      "costs by day, 180 days": history("day", 180),
      "window of a session of 20,000 turns": () => conversations.recent(session, 200),
      "last page of that session": () => conversations.page(session, { limit: 100 }),
      "first page of sessions": () => conversations.sessions(session, { limit: 50 }),
      "recall of episodes": () => recall.recall(scope, { now, signal }),
      "first page of traces": () => page({}),
      "traces of an agent without runs by latency": () =>
        page({ agent: "none", sort: { by: "latency", isAscending: false } }),
      "traces of a session without runs": () => page({ sessionId: "none" }),
      "traces of a session and a rare model": () => page({ sessionId: "s5", model: "rare" }),
      "traces of a rare model": () => page({ model: "rare" }),
      "statistics of a day": () => statistics.read("t", since(1), now),
      "statistics of 30 days": () => statistics.read("t", since(30), now),
      "statistics of 30 days by agent": () => statistics.read("t", { ...since(30), group_by: "agent" }, now),
    } satisfies Record<string, () => Promise<unknown>>,
    prune: () =>
      pruneTraces(storage, {
        olderThan: new Date(now.getTime() - 20 * 86_400_000),
        bytesMax: Number.MAX_SAFE_INTEGER,
      }),
    "prune, nothing due": () => pruneTraces(storage, { olderThan: new Date(0), bytesMax: 1e15 }),
  };
}

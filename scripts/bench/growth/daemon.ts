import { systemClock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/id.ts";
import { storedEpisodes } from "../../../src/services/daemon/memory/episodes/stored-episodes.ts";
import { migrations } from "../../../src/services/daemon/migrations.gen.ts";
import { createRunStatistics } from "../../../src/services/daemon/run-stats/read-stats.ts";
import { tables } from "../../../src/services/daemon/tables.ts";
import { listTraces } from "../../../src/services/daemon/traces/list-store.ts";
import { pruneTraces } from "../../../src/services/daemon/traces/store.ts";
import { traceText } from "../../../src/services/daemon/traces/trace-text.ts";
import { recordedTrace } from "../../../tests/support/recorded-trace.ts";
import { openFilled } from "./fill.ts";

/** Episodes, traces and facts of runs of the daemon: `rows` of each in 80 days. */
export async function daemonGrowth(folder: string, rows: number) {
  const now = systemClock.now();
  const at = `(${now.getTime()} - (${rows} - i) * ${Math.floor((80 * 86_400_000) / rows)})`;
  const id = "printf('%032d', i)";
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
  const storage = await openFilled(folder, {
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
      run_facts: {
        count: rows,
        columns: { ...run, outcome: "'OK'", input_tokens: "100", output_tokens: "20" },
      },
    },
  });
  const recall = storedEpisodes({ open: async () => storage, newId, mask: (text) => text }, 5);
  const scope = { tenant: "t", agent: "a", sessionId: "s", user: "u1" };
  const { signal } = new AbortController();
  const page = (filter: object) => listTraces(storage, "t", { ...filter, limit: 50 });
  const statistics = createRunStatistics(storage, async () => undefined);
  const since = (days: number) => ({ since: new Date(now.getTime() - days * 86_400_000).toISOString() });
  return {
    storage,
    asked: {
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

import type { FinishedCall } from "../../../engine/models/router.ts";
import type { UsageRecord } from "../../../engine/spending/usage-record.ts";
import type { RunObserver } from "../../../engine/telemetry/run-observer.ts";
import { type MetricRegistry, metricsIn } from "../../../kit/metrics.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { RestMetrics } from "./rest-metrics.ts";
import { SessionGauge } from "./session-gauge.ts";

/** Buckets from one millisecond to ten minutes, in seconds. */
const latencyBuckets = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600,
];
const overheadBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1];

/** Callers may choose model names, so only this many get their own label. The rest count as `other`. */
const modelLabelsMax = 256;

/** All metrics of the daemon, for Prometheus on `/metrics` and for `/v1/metrics`. Only the latter can be reset. */
export interface DaemonMetrics extends RunObserver {
  readonly registry: MetricRegistry;
  readonly rest: RestMetrics;
  modelCalled(call: FinishedCall): void;
  /** Records the usage of a run, once at its end. */
  modelsUsed(records: readonly UsageRecord[]): void;
}

export interface QueueDepths {
  inFlight: number;
  waiting: number;
}

export function createDaemonMetrics(registry: MetricRegistry, queue: () => QueueDepths): DaemonMetrics {
  const { counter, gauge, histogram } = metricsIn(registry);
  const runs = counter("platform_agent_runs_total", "Agent runs that ended, by how they ended.", [
    "agent_name",
    "pattern",
    "status",
  ]);
  const latency = histogram("platform_agent_latency_seconds", "Duration of agent runs.", latencyBuckets, [
    "agent_name",
    "pattern",
  ]);
  const overhead = histogram(
    "platform_run_overhead_seconds",
    "Duration of agent runs without the time spent waiting for models and tools.",
    overheadBuckets,
  );
  const providerCalls = counter(
    "platform_provider_calls_total",
    "Calls of model providers: ok, or the class of their failure.",
    ["provider", "model", "status"],
  );
  const providerLatency = histogram(
    "platform_provider_latency_seconds",
    "Duration of model calls.",
    latencyBuckets,
    ["provider", "model"],
  );
  const tools = counter("platform_tool_executions_total", "Tool executions.", ["tool_name", "status"]);
  const memoryFailures = counter(
    "platform_memory_failures_total",
    "Memories that could not be read (recall) or written (keep); their runs went on without them.",
    ["memory", "step"],
  );
  const tokens = counter(
    "platform_tokens_used_total",
    "Tokens that models read (input) and wrote (output).",
    ["agent_name", "direction"],
  );
  const costs = counter(
    "platform_model_cost_micros_total",
    "What model calls of agents cost, in millionths of a US dollar; calls without a known price are not in it.",
    ["agent_name", "provider", "model"],
  );
  const sessions = new SessionGauge(
    gauge("platform_active_sessions", "Sessions with a run in flight.", ["agent_name"]),
  );
  gauge("platform_runs_in_flight", "Runs that are being worked on.", [], (gauge) => {
    gauge.set(queue().inFlight);
  });
  gauge("platform_runs_waiting", "Runs that wait for a place.", [], (gauge) => {
    gauge.set(queue().waiting);
  });
  const rest = new RestMetrics();
  const labelOfModel = boundedLabels(modelLabelsMax);

  return {
    registry,
    rest,
    runStarted: (agent, sessionId) => sessions.enter(agent, sessionId),
    runFinished(run) {
      sessions.leave(run.agent, run.sessionId);
      runs.of(run.agent, run.pattern, run.status).inc();
      latency.of(run.agent, run.pattern).observe(run.latencyMs / 1000);
      overhead.observe(run.overheadMs / 1000);
      tokens.of(run.agent, "input").inc(run.inputTokens);
      tokens.of(run.agent, "output").inc(run.outputTokens);
      rest.count("agent.runs");
      if (run.status !== "ok" && !run.status.startsWith("awaiting_")) rest.count("agent.failures");
      rest.count("tokens.input", run.inputTokens);
      rest.count("tokens.output", run.outputTokens);
      rest.observe("agent.latency_ms", run.latencyMs);
    },
    modelCalled(call) {
      const { provider } = call;
      const model = labelOfModel(call.model);
      providerCalls.of(provider, model, call.ok ? "ok" : (call.failure ?? "error")).inc();
      providerLatency.of(provider, model).observe(call.latencyMs / 1000);
      rest.count("provider.calls");
      rest.observe("provider.latency_ms", call.latencyMs);
    },
    modelsUsed(records) {
      for (const { tenant, agent, provider, model, costMicros, corrects } of records) {
        // A counter can't go back.
        if (corrects === true && (costMicros ?? 0) <= 0) continue;
        if (costMicros === null) {
          rest.count("cost.unpriced_calls");
          continue;
        }
        const agent_name = tenant === operatorTenant ? agent : "tenant";
        costs.of(agent_name, provider, labelOfModel(model)).inc(costMicros);
        if (costMicros > 0) rest.count("cost.micros", costMicros);
      }
    },
    toolExecuted(call) {
      tools.of(call.tool, call.ok ? "ok" : "error").inc();
      rest.count("tool.executions");
      rest.observe("tool.latency_ms", call.latencyMs);
    },
    memoryFailed({ memory, step }) {
      memoryFailures.of(memory, step).inc();
      rest.count("memory.failures");
    },
  };
}

/** Passes on the first `max` names and replaces later ones with `other`, because callers choose the names. */
function boundedLabels(max: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.size < max) known.add(name);
    return known.has(name) ? name : "other";
  };
}

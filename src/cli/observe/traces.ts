import { Command, Option } from "commander";
import { costText, nearestMicros } from "../../contracts/amounts.ts";
import type { ListedTrace, TraceList, TraceListQuery } from "../../contracts/daemon/runs/traces.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { sourceOption, wholeNumber } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";

type TraceOptions = Omit<TraceListQuery, "session_id" | "cursor" | "spans" | "feedback_source"> & {
  session?: string;
  feedbackSource?: "person" | "channel";
};

export const tracesCommand = (perform: Perform) =>
  new Command("traces")
    .description("list the latest runs, or show one run's spans")
    .argument("[id]", "a trace's id")
    .option("--agent <name>", "only runs of this agent")
    .addOption(new Option("--status <status>", "only runs with this status").choices(["OK", "ERROR"]))
    .option("--session <id>", "only runs of this conversation")
    .addOption(sourceOption("all"))
    .addOption(new Option("--feedback <rating>", "only judged runs").choices(["up", "down", "any"]))
    .addOption(
      new Option("--feedback-source <source>", "with --feedback: only verdicts of this source").choices([
        "person",
        "channel",
      ]),
    )
    .option("--model <name>", "only runs of this model")
    .option("--search <text>", "only runs whose question or answer contains this text, in any case")
    .option("--since <time>", "only runs started at this time or later, ISO 8601")
    .option("--until <time>", "only runs started before this time, ISO 8601")
    .addOption(new Option("--sort <key>", "order of the list (time)").choices(["time", "latency", "cost"]))
    .addOption(new Option("--order <direction>", "direction of the order (desc)").choices(["asc", "desc"]))
    .option("--limit <count>", "number of rows, 1 to 100 (20)", wholeNumber(100))
    .action(
      (id: string | undefined, { session, feedbackSource, ...options }: TraceOptions, command: Command) => {
        const query = {
          ...options,
          ...(session === undefined ? {} : { session_id: session }),
          ...(feedbackSource === undefined ? {} : { feedback_source: feedbackSource }),
        };
        return perform(command, (call) =>
          id === undefined ? listTraces(call, query) : showTrace(call, id, query),
        );
      },
    );

function whyNone(query: TraceListQuery, { next_cursor: next }: TraceList): string {
  if (Object.keys(query).length === 0) return "No traces. A run leaves one: argosy run <agent> <query>";
  if (next !== undefined) return "No match among the first 20,000 runs. Add --since, --until or --agent.";
  if (query.search === undefined) return "No run matches.";
  return "No run matches. Questions and answers are kept of runs in the console, of recorded runs, and of all runs with spec.observability.record: true in runtime.yaml.";
}

/** The verdicts on a run: a person's, and those of a channel's users with their emoji. */
const ratingsOf = ({ feedback, channel_feedback: ofUsers }: ListedTrace): string =>
  [
    ...(feedback === undefined ? [] : [feedback.rating ?? "noted"]),
    ...(ofUsers === undefined ? [] : [`${ofUsers.rating} ${ofUsers.emoji}`]),
  ].join(", ");

/** Empty if the run called no model. */
function traceCost({ summary: { cost_usd: usd, unpriced_calls: unknown } }: ListedTrace): string {
  if (usd === undefined && unknown === 0) return "";
  return costText({ micros: nearestMicros(usd ?? 0), unknown });
}

async function listTraces(call: CommandCall, query: TraceListQuery): Promise<ExitCode> {
  const { screen } = call;
  const list = await withDaemon(call, {}, (client) => client.listTraces(query));
  if (screen.json) screen.document(list);
  else if (list.traces.length === 0) screen.say(whyNone(query, list));
  else {
    const { milliseconds } = await import("./trace-tree.ts");
    screen.table(
      ["TRACE", "AGENT", "STATUS", "SOURCE", "STARTED", "DURATION", "COST", "SESSION", "RATING", "ERROR"],
      list.traces.map((trace) => [
        trace.trace_id,
        trace.agent,
        trace.status === "ERROR" ? paint("red", trace.status) : trace.status,
        trace.summary.source,
        trace.start_time,
        milliseconds(trace.duration_ms),
        traceCost(trace),
        trace.session_id,
        ratingsOf(trace),
        [trace.summary.error, trace.summary.reason].filter((text) => text !== undefined).join(": "),
      ]),
    );
  }
  return exitCodes.ok;
}

async function showTrace(call: CommandCall, id: string, query: TraceListQuery): Promise<ExitCode> {
  const { screen } = call;
  if (Object.keys(query).length > 0)
    throw usageError("Options are for the list, not for one trace. Leave out the id or the options.");
  const trace = await withDaemon(call, {}, (client) => client.getTrace(id));
  const { traceLines } = await import("./trace-tree.ts");
  if (screen.json) screen.document(trace);
  else for (const line of traceLines(trace, screen.dataWidth)) screen.print(...line);
  return exitCodes.ok;
}

import { Anchor, Checkbox } from "@mantine/core";
import { Link } from "wouter";
import type { ChannelFeedback, Feedback } from "../../../contracts/daemon/runs/feedback.ts";
import type { ListedTrace } from "../../../contracts/daemon/runs/traces.ts";
import type { Column } from "../../parts/tables/data-table.tsx";
import { formatDuration, formatInstant, formatNumber } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { traceCost } from "../../parts/text/money.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { SourceBadge } from "../../quality/source-select.tsx";
import { channelVerdictText, traceTexts as texts } from "../../texts/studio/runs.ts";
import { compareTexts } from "../../texts/studio/trace-list.ts";
import { traceHref } from "./trace-query.ts";

/** The columns of a list of traces. `tenant`: whose runs they are, if they aren't the daemon's own. */
export const traceColumns = (tenant = ""): readonly Column<ListedTrace>[] => [
  {
    id: "agent",
    header: texts.agent,
    width: "minmax(84px, 1fr)",
    cell: ({ trace_id, agent }) => (
      <Anchor component={Link} href={traceHref(trace_id, tenant)}>
        {agent}
      </Anchor>
    ),
  },
  {
    id: "status",
    header: texts.status,
    width: "minmax(72px, 0.8fr)",
    cell: (trace) => <TraceStatus trace={trace} />,
  },
  {
    id: "question",
    header: texts.question,
    width: "minmax(104px, 2.6fr)",
    from: "lg",
    cell: ({ summary: { question } }) => question ?? "–",
  },
  {
    id: "answer",
    header: texts.answer,
    width: "minmax(104px, 2.6fr)",
    from: "lg",
    cell: ({ summary: { answer } }) => answer ?? "–",
  },
  {
    id: "feedback",
    header: texts.feedback,
    width: "68px",
    from: "md",
    cell: ({ feedback, channel_feedback }) => <Verdict feedback={feedback} ofUsers={channel_feedback} />,
  },
  {
    id: "model",
    header: texts.model,
    width: "minmax(72px, 0.8fr)",
    from: "md",
    cell: ({ summary: { model } }) => model ?? "–",
  },
  {
    id: "tokens",
    header: texts.tokens,
    width: "58px",
    align: "end",
    from: "sm",
    cell: ({ summary: { total_tokens } }) => formatNumber(total_tokens),
  },
  {
    id: "cost",
    header: texts.cost,
    width: "72px",
    align: "decimal",
    from: "md",
    cell: ({ summary }) => traceCost(summary),
  },
  {
    id: "duration",
    header: texts.duration,
    width: "68px",
    align: "end",
    cell: ({ duration_ms }) => formatDuration(duration_ms),
  },
  {
    id: "began",
    header: texts.began,
    width: "86px",
    align: "end",
    from: "sm",
    cell: ({ start_time }) => <Instant iso={start_time} />,
  },
];

/** A column that chooses up to two runs, for a comparison. */
export const chooseColumn = (
  chosen: readonly string[],
  choose: (ids: readonly string[]) => void,
): Column<ListedTrace> => ({
  id: "choose",
  header: compareTexts.column,
  hidesHeader: true,
  width: "34px",
  cell: ({ trace_id: id, agent, start_time: start }) => (
    <Checkbox
      size="xs"
      className="ar-choose"
      aria-label={compareTexts.select(agent, formatInstant(start))}
      checked={chosen.includes(id)}
      disabled={chosen.length >= 2 && !chosen.includes(id)}
      onChange={({ currentTarget: { checked } }) =>
        choose(checked ? [...chosen, id] : chosen.filter((one) => one !== id))
      }
    />
  ),
});

/** A run that ends with one of these codes continues in another run. */
const pauses: ReadonlySet<string> = new Set(["approval_required", "tool_result_required"]);

/** The status of a run, and whether its agent was overridden. */
function TraceStatus({ trace: { status, summary } }: { trace: ListedTrace }) {
  const { error, reason, overridden, source } = summary;
  const isPaused = error !== undefined && pauses.has(error);
  return (
    <>
      {isPaused ? (
        <span title={texts.pausedHint}>
          <StatusBadge tone="warn">{texts.paused}</StatusBadge>
        </span>
      ) : (
        <StatusBadge tone={status === "OK" ? "good" : "bad"}>
          {status === "OK" ? texts.ok : texts.error}
        </StatusBadge>
      )}{" "}
      <SourceBadge source={source} />{" "}
      {overridden !== undefined && <StatusBadge tone="accent">{texts.overridden}</StatusBadge>}{" "}
      {error !== undefined && !isPaused && (
        <span className="ar-soft" title={reason}>
          {error}
        </span>
      )}
    </>
  );
}

/** The verdicts in a word each: a person's, and users' with their emoji. */
function Verdict({
  feedback,
  ofUsers,
}: {
  feedback: Feedback | undefined;
  ofUsers: ChannelFeedback | undefined;
}) {
  if (feedback === undefined && ofUsers === undefined) return "–";
  const badge = (rating: "up" | "down", name: string) => (
    <StatusBadge tone={rating === "up" ? "good" : "bad"}>{name}</StatusBadge>
  );
  return (
    <>
      {feedback !== undefined &&
        (feedback.rating === undefined ? (
          <StatusBadge tone="accent">{texts.noted}</StatusBadge>
        ) : (
          badge(feedback.rating, texts.judged[feedback.rating] ?? feedback.rating)
        ))}{" "}
      {ofUsers !== undefined && (
        <span title={channelVerdictText(ofUsers)}>
          {badge(ofUsers.rating, `${ofUsers.emoji} ${texts.judged[ofUsers.rating] ?? ofUsers.rating}`)}
        </span>
      )}
    </>
  );
}

import { Anchor, Title } from "@mantine/core";
import { Link } from "wouter";
import type { CaseResult, CheckOutcome, TurnResult } from "../../../contracts/evals/eval-run.ts";
import { Facts } from "../../parts/layout/facts.tsx";
import { formatDuration, formatFixed, formatNumber } from "../../parts/text/format.ts";
import { JsonView } from "../../parts/text/json-view.tsx";
import { costOfUsd, creditsText, figureCost } from "../../parts/text/money.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";

interface ResultViewProps {
  result: CaseResult;
  /** Page of a turn's run; undefined if there is none. Default: the trace in the Studio. */
  pathOf?: (turn: TurnResult) => string | undefined;
}

const traceOf = ({ trace_id: id }: TurnResult) =>
  id === undefined ? undefined : `/studio/traces/${encodeURIComponent(id)}`;

/** One result: its checks with reasons, then its turns with tool calls. All texts are shown as they are. */
export function ResultView({ result, pathOf = traceOf }: ResultViewProps) {
  const { passed, checks, turns, expected, tokens, cost_usd: cost, latency_ms: latency, target } = result;
  const { credits_micros: credits } = result;
  return (
    <>
      <StatusBadge tone={passed ? "good" : "bad"}>{passed ? texts.passed : texts.failed}</StatusBadge>
      <ul className="ar-findings ar-eval-findings" aria-label={texts.checks}>
        {checks.map((check, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a result never changes, and its checks have no ids
          <CheckView key={index} check={check} />
        ))}
      </ul>
      {turns.map((turn, index) => {
        const of = { turn, pathOf, ...(turns.length > 1 && { number: index + 1 }) };
        // biome-ignore lint/suspicious/noArrayIndexKey: a result never changes, and its turns have no ids
        return <TurnView key={index} {...of} />;
      })}
      {expected !== undefined && (
        <>
          <Title order={3} size="h5">
            {texts.expected}
          </Title>
          <div className="ar-eval-text">{expected}</div>
        </>
      )}
      <Facts
        across
        facts={[
          { label: texts.target, value: target },
          { label: texts.tokens, value: formatNumber(tokens) },
          credits === undefined
            ? { label: texts.cost, value: figureCost(costOfUsd(cost)) }
            : { label: texts.credits, value: creditsText(credits) },
          { label: texts.duration, value: formatDuration(latency) },
        ]}
      />
    </>
  );
}

function CheckView({ check }: { check: CheckOutcome }) {
  const { check: name, passed, informative, reason, score, votes, turn } = check;
  const about = [
    turn === undefined ? "" : texts.turn(turn),
    informative ? texts.informative : "",
    score === undefined ? "" : texts.score01(formatFixed(score, 2)),
    votes === undefined ? "" : texts.votes(votes.passed, votes.of),
  ].filter((part) => part !== "");
  return (
    <li data-tone={passed || informative ? "good" : "bad"}>
      <StatusBadge tone={passed ? "good" : informative ? "plain" : "bad"}>
        {passed ? texts.passed : texts.failed}
      </StatusBadge>
      <span className="ar-break">
        <span className="ar-mono">{name}</span>
        {reason !== undefined && `: ${reason}`}{" "}
        {about.length > 0 && <span className="ar-soft">{about.join(" · ")}</span>}
      </span>
    </li>
  );
}

interface TurnViewProps {
  turn: TurnResult;
  number?: number;
  pathOf: (turn: TurnResult) => string | undefined;
}

function TurnView({ turn, number, pathOf }: TurnViewProps) {
  const { query, response, error, calls } = turn;
  const run = pathOf(turn);
  return (
    <section>
      <Title order={3} size="h5">
        {number === undefined ? texts.question : `${texts.turn(number)}: ${texts.question}`}
      </Title>
      <div className="ar-eval-text">{query}</div>
      <Title order={3} size="h5">
        {texts.answer}
      </Title>
      <div className="ar-eval-text">{error === undefined ? response : `${error.code}: ${error.message}`}</div>
      {calls.length > 0 && (
        <>
          <Title order={3} size="h5">
            {texts.calls}
          </Title>
          {calls.map(({ tool, input, output }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a result never changes, and its calls have no ids
            <div key={index}>
              <span className="ar-mono">{tool}</span>
              <JsonView value={{ input, output }} label={tool} />
            </div>
          ))}
        </>
      )}
      {run !== undefined && (
        <p className="ar-flat">
          <Anchor component={Link} href={run}>
            {turn.invocation_id === undefined ? texts.openTrace : texts.openRun}
          </Anchor>
        </p>
      )}
    </section>
  );
}

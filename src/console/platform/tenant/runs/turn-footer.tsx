import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import { formatDuration, formatNumber } from "../../../parts/text/format.ts";
import { creditsText } from "../../../parts/text/money.ts";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { runTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { tenantPaths } from "../tenant-paths.ts";
import { JudgeRun } from "./judge-run.tsx";
import type { PlatformRun } from "./platform-run.ts";

interface TurnFooterProps {
  tenantId: string;
  agent: string;
  query: string;
  run: PlatformRun;
}

/** Time, tokens and cost of an answer, with a link to the stored run. */
export function TurnFooter(props: TurnFooterProps) {
  const {
    tenantId,
    agent,
    query,
    run: { state, invocationId, result },
  } = props;
  const { beganMs, endedMs, firstTokenMs } = state;
  if (endedMs === undefined) return null;
  return (
    <div className="ar-run-foot">
      {result !== undefined && (
        <>
          <strong>
            {result.pricing_status === "unpriced"
              ? texts.unpriced
              : texts.credits(creditsText(result.credits_charged_micros))}
          </strong>
          <span>
            {texts.tokens(formatNumber(result.usage.tokens_in), formatNumber(result.usage.tokens_out))}
          </span>
          {[...new Set(result.usage.by_model.map(({ provider, model }) => `${provider}/${model}`))].map(
            (model) => (
              <StatusBadge key={model} tone="plain">
                {model}
              </StatusBadge>
            ),
          )}
        </>
      )}
      <span>{formatDuration(endedMs - beganMs)}</span>
      {firstTokenMs !== undefined && <span>{texts.firstToken(formatDuration(firstTokenMs - beganMs))}</span>}
      {invocationId !== undefined && (
        <span className="ar-run-links">
          <Anchor component={Link} href={tenantPaths(tenantId).invocation(agent, invocationId)}>
            {texts.invocation}
          </Anchor>
        </span>
      )}
      {invocationId !== undefined && result !== undefined && (
        <JudgeRun
          tenantId={tenantId}
          agent={agent}
          invocation={invocationId}
          query={query}
          answer={result.answer}
        />
      )}
    </div>
  );
}

import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { InvocationDetail } from "../../../../contracts/platform/observability.ts";
import { type Fact, Facts } from "../../../parts/layout/facts.tsx";
import { Figures } from "../../../parts/layout/figures.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { formatDuration, formatInstant, formatNumber } from "../../../parts/text/format.ts";
import { IdText } from "../../../parts/text/id-text.tsx";
import { creditsText } from "../../../parts/text/money.ts";
import { invocationTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { ModelUsageTable } from "../../model-usage-table.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { adviceFor } from "./run-advice.ts";

/** One run: its status and error, its usage and its cost. Its messages are not stored here. */
export function InvocationDetailView({
  tenantId,
  invocation,
}: {
  tenantId: string;
  invocation: InvocationDetail;
}) {
  const { usage, credits_charged_micros, pricing_status, duration_ms, usage_estimated } = invocation;
  return (
    <>
      <Figures
        figures={[
          {
            label: texts.credits,
            value: creditsText(credits_charged_micros),
            ...(pricing_status === "unpriced" ? { note: texts.unpricedNote } : {}),
          },
          { label: texts.duration, value: duration_ms === null ? "–" : formatDuration(duration_ms) },
          {
            label: texts.tokensIn,
            value: formatNumber(usage.tokens_in),
            ...(usage_estimated ? { note: texts.estimated } : {}),
          },
          { label: texts.tokensOut, value: formatNumber(usage.tokens_out) },
        ]}
      />
      <div className="ar-stack">
        {invocation.error_code !== null && <WhatWentWrong invocation={invocation} />}
        {invocation.status === "awaiting_approval" && (
          <Text>
            {texts.waits}{" "}
            <Anchor component={Link} href={tenantPaths(tenantId).approvals}>
              {texts.toApprovals}
            </Anchor>
          </Text>
        )}
        <div className="ar-columns">
          <Panel title={texts.facts}>
            <Facts facts={factsOf(invocation)} />
          </Panel>
          <Panel title={texts.byModel} flush={usage.by_model.length > 0}>
            {usage.by_model.length === 0 ? (
              <Text className="ar-soft">{texts.noModel}</Text>
            ) : (
              <ModelUsageTable models={usage.by_model} />
            )}
          </Panel>
        </div>
      </div>
    </>
  );
}

function WhatWentWrong({ invocation: { error_code, message } }: { invocation: InvocationDetail }) {
  return (
    <Panel title={texts.wentWrong}>
      <Text className="ar-break">{message ?? error_code}</Text>
      <Text mt={4} className="ar-soft">
        <span className="ar-mono">{error_code}</span> · {adviceFor(error_code ?? "")}
      </Text>
    </Panel>
  );
}

function factsOf(invocation: InvocationDetail): Fact[] {
  const { invocation_id, agent_version, session_id, started_at, ended_at, subscription_id, count } =
    invocation;
  return [
    { label: texts.run, value: <IdText id={invocation_id} /> },
    { label: texts.version, value: formatNumber(agent_version) },
    { label: texts.session, value: <IdText id={session_id} /> },
    { label: texts.startedAt, value: formatInstant(started_at) },
    { label: texts.endedAt, value: ended_at === null ? texts.notYet : formatInstant(ended_at) },
    {
      label: texts.subscription,
      value: subscription_id === null ? texts.basePlan : <IdText id={subscription_id} />,
    },
    ...(count > 1 ? [{ label: texts.stands, value: texts.rejections(formatNumber(count)) }] : []),
  ];
}

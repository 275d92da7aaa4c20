import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import type { AdminInvocationDetail } from "../../../../contracts/platform/admin.ts";
import { type Fact, Facts } from "../../../parts/layout/facts.tsx";
import { Figures } from "../../../parts/layout/figures.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { formatDuration, formatInstant, formatNumber } from "../../../parts/text/format.ts";
import { IdText } from "../../../parts/text/id-text.tsx";
import { creditsText, usdFigureText } from "../../../parts/text/money.ts";
import { useSession } from "../../../session/session.tsx";
import { traceHref } from "../../../studio/traces/trace-query.ts";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { InvocationBadge } from "../../invocation-badge.tsx";
import { RunSteps } from "../../run-steps.tsx";
import { tenantPaths } from "../../tenant/tenant-paths.ts";
import { traceless } from "../../traceless.ts";
import { usePlatform } from "../../use-platform.ts";
import { runCostText } from "../cost-text.ts";
import { TenantLink } from "../tenant-link.tsx";
import { PricedUsage } from "./priced-usage.tsx";

export default function InvocationPage() {
  const { id = "" } = useParams<{ id: string }>();
  const platform = usePlatform();
  const query = useQuery({
    queryKey: ["platform", "admin", "invocation", id],
    queryFn: () => platform.getAnyInvocation(id),
  });
  return (
    <>
      <PageHeader
        title={query.data === undefined ? texts.invocation : `${texts.invocation}: ${query.data.agent_name}`}
        up={{ href: "/platform/operator/invocations", label: texts.invocations }}
        mark={query.data && <InvocationBadge status={query.data.status} />}
      >
        {query.data !== undefined && <RunLinks found={query.data} />}
      </PageHeader>
      <Loaded query={query}>
        {(found) => (
          <div className="ar-stack">
            <InvocationFigures found={found} />
            {!traceless.has(found.status) && (
              <RunSteps
                queryKey={["platform", "admin", "invocation", id]}
                read={() => platform.getAnyInvocationTrace(id)}
              />
            )}
            <div className="ar-columns">
              <Panel title={texts.facts}>
                <Facts facts={factsOf(found)} />
              </Panel>
              <PricedUsage models={found.usage.by_model} />
            </div>
          </div>
        )}
      </Loaded>
    </>
  );
}

/** What belongs to the run elsewhere in the console, as far as this session may open it. */
function RunLinks({ found }: { found: AdminInvocationDetail }) {
  const { state, signedIn } = useSession();
  const { tenant_id: tenant, agent_name: agent, trace_id: trace, invocation_id: run } = found;
  const links = [
    { label: texts.asTenant, href: tenantPaths(tenant).invocation(agent, run) },
    { label: texts.runsOfAgent, href: `/platform/operator/invocations?agent=${found.agent_id}` },
    ...(trace !== null && signedIn.local && state.services.includes("daemon")
      ? [
          { label: texts.trace, href: traceHref(trace, tenant) },
          { label: texts.logLines, href: `/operations/logs?${new URLSearchParams({ text: trace })}` },
        ]
      : []),
  ];
  return links.map(({ label, href }) => (
    <Button key={label} variant="default" component={Link} href={href}>
      {label}
    </Button>
  ));
}

function InvocationFigures({ found }: { found: AdminInvocationDetail }) {
  return (
    <Figures
      figures={[
        { label: texts.credits, value: creditsText(found.credits_charged_micros) },
        {
          label: texts.held,
          value: creditsText(found.held_micros),
          note: texts.heldNote(formatNumber(found.held_tokens)),
        },
        { label: texts.providerCost, value: runCostText(found.provider_cost_micros) },
        { label: texts.infraCost, value: usdFigureText(found.infra_cost_micros) },
        { label: texts.overrun, value: creditsText(found.overrun_micros) },
        {
          label: texts.duration,
          value: found.duration_ms === null ? "–" : formatDuration(found.duration_ms),
        },
      ]}
    />
  );
}

function factsOf(found: AdminInvocationDetail): Fact[] {
  return [
    { label: texts.invocation, value: <IdText id={found.invocation_id} /> },
    { label: texts.tenant, value: <TenantLink id={found.tenant_id} name={found.tenant_name} /> },
    { label: texts.tenantId, value: <IdText id={found.tenant_id} /> },
    { label: texts.session, value: <IdText id={found.session_id} /> },
    ...(found.trace_id === null ? [] : [{ label: texts.trace, value: <IdText id={found.trace_id} /> }]),
    ...(found.feedback === undefined
      ? []
      : [{ label: texts.feedback, value: texts.verdict(found.feedback) }]),
    ...(found.channel_feedback === undefined
      ? []
      : [{ label: texts.channelFeedback, value: texts.channelVerdict(found.channel_feedback) }]),
    { label: texts.version, value: formatNumber(found.agent_version) },
    { label: texts.plan, value: found.plan_id ?? "–" },
    {
      label: texts.subscription,
      value: found.subscription_id === null ? texts.basePlan : <IdText id={found.subscription_id} />,
    },
    { label: texts.period, value: found.period },
    { label: texts.started, value: formatInstant(found.started_at) },
    { label: texts.estimated, value: found.usage_estimated ? texts.yes : texts.no },
    ...(found.error_code === null
      ? []
      : [{ label: texts.error, value: `${found.error_code}: ${found.message ?? ""}` }]),
    ...(found.count > 1 ? [{ label: texts.runs, value: texts.standsFor(found.count) }] : []),
  ];
}

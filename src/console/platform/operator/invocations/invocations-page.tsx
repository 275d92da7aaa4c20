import { Anchor, Group, Select } from "@mantine/core";
import { Link } from "wouter";
import type { ListedAdminInvocation } from "../../../../contracts/platform/admin.ts";
import type { InvocationStatus, PricingStatus } from "../../../../contracts/platform/observability.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { CursorTable } from "../../../parts/tables/cursor-table.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { formatDuration, formatNumber } from "../../../parts/text/format.ts";
import { Instant } from "../../../parts/text/instant.tsx";
import { creditsText } from "../../../parts/text/money.ts";
import { SourceBadge, SourceSelect, sourceFilterOf } from "../../../quality/source-select.tsx";
import { useSession } from "../../../session/session.tsx";
import { invocationTexts, operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { InvocationBadge } from "../../invocation-badge.tsx";
import { usePlatform } from "../../use-platform.ts";
import { runCostText } from "../cost-text.ts";
import { TenantLink } from "../tenant-link.tsx";
import { TenantSelect } from "../tenant-select.tsx";

const columns: readonly Column<ListedAdminInvocation>[] = [
  {
    id: "agent",
    header: texts.agent,
    width: "minmax(90px, 1fr)",
    cell: ({ invocation_id, agent_name }) => (
      <Anchor component={Link} href={`/platform/operator/invocations/${invocation_id}`}>
        {agent_name}
      </Anchor>
    ),
  },
  {
    id: "status",
    header: texts.status,
    width: "130px",
    cell: ({ status, source }) => (
      <>
        <InvocationBadge status={status} /> <SourceBadge source={source} />
      </>
    ),
  },
  {
    id: "started",
    header: texts.started,
    width: "84px",
    cell: ({ started_at }) => <Instant iso={started_at} />,
  },
  {
    id: "duration",
    header: texts.duration,
    width: "72px",
    align: "end",
    from: "md",
    cell: ({ duration_ms }) => (duration_ms === null ? "–" : formatDuration(duration_ms)),
  },
  {
    id: "tokens",
    header: texts.tokens,
    width: "64px",
    align: "end",
    from: "md",
    cell: ({ tokens_in, tokens_out }) => formatNumber(tokens_in + tokens_out),
  },
  {
    id: "credits",
    header: texts.creditsShort,
    width: "84px",
    align: "decimal",
    from: "sm",
    cell: ({ credits_charged_micros, pricing_status }) =>
      pricing_status === "unpriced" ? invocationTexts.pricing.unpriced : creditsText(credits_charged_micros),
  },
  {
    id: "cost",
    header: texts.cost,
    width: "76px",
    align: "decimal",
    from: "lg",
    cell: ({ provider_cost_micros, infra_cost_micros }) =>
      runCostText(provider_cost_micros, infra_cost_micros),
  },
  {
    id: "tenant",
    header: texts.tenant,
    width: "minmax(90px, 1fr)",
    from: "lg",
    cell: ({ tenant_id, tenant_name }) => <TenantLink id={tenant_id} name={tenant_name} />,
  },
];

const exchange: readonly Column<ListedAdminInvocation>[] = [
  {
    id: "question",
    header: texts.question,
    width: "minmax(90px, 2fr)",
    from: "lg",
    cell: ({ question }) => <Beginning text={question} />,
  },
  {
    id: "answer",
    header: texts.answer,
    width: "minmax(90px, 2fr)",
    from: "lg",
    cell: ({ answer }) => <Beginning text={answer} />,
  },
];

/** The whole beginning is in the tooltip. */
const Beginning = ({ text }: { text: string | undefined }) =>
  text === undefined ? "–" : <span title={text}>{text}</span>;

/** The platform answers texts to people only. */
const columnsFor = (isPerson: boolean) =>
  isPerson ? [...columns.slice(0, 3), ...exchange, ...columns.slice(3)] : columns;

export default function InvocationsPage() {
  const platform = usePlatform();
  const isPerson = useSession().signedIn.person !== undefined;
  const [month] = useMonth();
  const [status, setStatus] = useUrlState("status");
  const [pricing, setPricing] = useUrlState("pricing");
  const [tenant, setTenant] = useUrlState("tenant");
  const [agent] = useUrlState("agent");
  const [chosen, setSource] = useUrlState("source");
  const source = sourceFilterOf(chosen, "all");
  const filters = {
    source,
    period: month,
    ...(status === "" ? {} : { status: status as InvocationStatus }),
    ...(pricing === "" ? {} : { pricing_status: pricing as PricingStatus }),
    ...(tenant === "" ? {} : { tenant_id: tenant }),
    ...(agent === "" ? {} : { agent_id: agent }),
    ...(isPerson ? { texts: "true" as const } : {}),
  };
  const isFiltered = [status, pricing, tenant, agent, chosen].some((value) => value !== "");
  return (
    <>
      <PageHeader title={texts.invocations} lead={texts.invocationsLead}>
        <MonthPicker />
      </PageHeader>
      <Group mb="md" gap="sm">
        <Select
          aria-label={texts.status}
          placeholder={texts.anyStatus}
          clearable
          clearButtonProps={{ "aria-label": texts.anyStatus }}
          data={Object.entries(invocationTexts.status).map(([value, label]) => ({ value, label }))}
          value={status === "" ? null : status}
          onChange={(value) => setStatus(value ?? "")}
        />
        <Select
          aria-label={texts.anyPricing}
          placeholder={texts.anyPricing}
          clearable
          clearButtonProps={{ "aria-label": texts.anyPricing }}
          data={Object.entries(invocationTexts.pricing).map(([value, label]) => ({ value, label }))}
          value={pricing === "" ? null : pricing}
          onChange={(value) => setPricing(value ?? "")}
        />
        <SourceSelect value={chosen} usual="all" change={setSource} isBare />
        <TenantSelect value={tenant} choose={setTenant} />
      </Group>
      <CursorTable
        label={texts.invocations}
        columns={columnsFor(isPerson)}
        queryKey={["platform", "admin", "invocations", filters]}
        read={(page) => platform.listInvocations({ ...filters, ...page })}
        rowsOf={({ invocations }) => invocations}
        keyOf={({ invocation_id }) => invocation_id}
        empty={<EmptyState text={isFiltered ? texts.noInvocations : texts.noInvocationsYet} />}
      />
    </>
  );
}

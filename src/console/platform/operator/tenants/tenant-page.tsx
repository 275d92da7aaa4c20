import { Anchor, Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "wouter";
import type { AdminTenant } from "../../../../contracts/platform/admin.ts";
import type { Subscription } from "../../../../contracts/platform/billing/subscriptions.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { Facts } from "../../../parts/layout/facts.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { StoragePanel } from "../../../parts/storage-panel.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { formatInstant, formatNumber } from "../../../parts/text/format.ts";
import { IdText } from "../../../parts/text/id-text.tsx";
import { creditsText } from "../../../parts/text/money.ts";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { subscriptionTexts } from "../../../texts/platform/billing.ts";
import { usageEventTexts } from "../../../texts/platform/corrections.ts";
import { resetTexts, operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { tenantMemberTexts } from "../../../texts/platform/tenant-members.ts";
import { MemberTable } from "../../tenant/members/member-table.tsx";
import { usePlatform } from "../../use-platform.ts";
import { ConsumptionFigures } from "../consumption-figures.tsx";
import { ModelsUsed } from "../models-used.tsx";
import { PlanSelect } from "../plan-select.tsx";
import { AdjustmentsPanel } from "./adjustments-panel.tsx";
import { CustomerPanel } from "./customer-panel.tsx";
import { GrantsPanel } from "./grants-panel.tsx";
import { ResetPasswordDialog } from "./reset-password-dialog.tsx";
import { shareOfCap } from "./share-of-cap.ts";

export default function TenantPage() {
  const { id = "" } = useParams<{ id: string }>();
  const platform = usePlatform();
  const [month] = useMonth();
  const query = useQuery({
    queryKey: ["platform", "admin", "tenant", id, month],
    queryFn: () => platform.getTenant(id, month),
  });
  const [isChanging, setChanging] = useState(false);
  const tenant = query.data;
  return (
    <>
      <PageHeader
        title={tenant?.display_name ?? texts.tenant}
        up={{ href: "/platform/operator/tenants", label: texts.allTenants }}
        mark={tenant?.status === "deleted" && <StatusBadge tone="plain">{texts.deleted}</StatusBadge>}
      >
        <MonthPicker />
        <Button
          component={Link}
          href={`/platform/operator/tenants/${encodeURIComponent(id)}/statement?period=${month}`}
          variant="default"
        >
          {texts.statement}
        </Button>
        <Button
          component={Link}
          href={`/platform/operator/invocations?tenant=${encodeURIComponent(id)}`}
          variant="default"
        >
          {texts.invocations}
        </Button>
        <Button component={Link} href={`/platform/t/${encodeURIComponent(id)}/agents`} variant="default">
          {texts.asTenant}
        </Button>
      </PageHeader>
      <Loaded query={query}>
        {(found) => (
          <>
            <ConsumptionFigures consumption={found.month} />
            <div className="ar-columns">
              <TenantFacts tenant={found} change={() => setChanging(true)} />
              <div className="ar-stack">
                <Panel title={tenantMemberTexts.title} flush>
                  <MemberTable members={found.members} />
                </Panel>
                <TenantSubscriptions subscriptions={found.subscriptions} />
                <GrantsPanel tenantId={found.id} isActive={found.status === "active"} />
                <AdjustmentsPanel tenantId={found.id} month={month} />
                <CustomerPanel tenantId={found.id} />
                <ModelsUsed models={found.month.by_model} />
                <StoragePanel storage={found.storage} />
              </div>
            </div>
            {isChanging && <TenantPlanDialog tenant={found} close={() => setChanging(false)} />}
          </>
        )}
      </Loaded>
    </>
  );
}

function TenantFacts({ tenant, change }: { tenant: AdminTenant; change: () => void }) {
  const { plan, credits } = tenant;
  const [isResetting, reset] = useDisclosure(false);
  return (
    <Panel
      title={texts.facts}
      actions={
        <>
          <Button size="xs" variant="default" onClick={reset.open}>
            {resetTexts.open}
          </Button>
          <Button size="xs" variant="default" onClick={change}>
            {texts.changePlan}
          </Button>
        </>
      }
    >
      {isResetting && <ResetPasswordDialog email={tenant.owner.email} close={reset.close} />}
      <Facts
        facts={[
          { label: texts.code, value: <span className="ar-mono">{tenant.cr_name}</span> },
          { label: texts.tenantId, value: <IdText id={tenant.id} /> },
          { label: texts.owner, value: tenant.owner.email },
          { label: texts.plan, value: `${plan.name} (${plan.id})` },
          {
            label: texts.credits,
            value: `${creditsText(credits.charged_micros)} (${shareOfCap(credits)})`,
          },
          { label: texts.agents, value: formatNumber(tenant.active_agents) },
          { label: texts.running, value: formatNumber(tenant.running) },
          { label: texts.created, value: formatInstant(tenant.created_at) },
        ]}
      />
    </Panel>
  );
}

/** Changes a tenant's base plan. */
function TenantPlanDialog({ tenant, close }: { tenant: AdminTenant; close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [plan, setPlan] = useState(tenant.plan.id);
  return (
    <FormDialog
      title={texts.changePlan}
      action={texts.changePlan}
      close={close}
      send={async () => {
        await platform.setTenantPlan(tenant.id, plan);
        await queries.invalidateQueries({ queryKey: ["platform"] });
        notify(texts.planChanged);
      }}
    >
      <Text className="ar-soft">{texts.changePlanHint}</Text>
      <PlanSelect vertical={null} plan={plan} choose={setPlan} />
    </FormDialog>
  );
}

const columns: readonly PlainColumn<Subscription>[] = [
  { id: "vertical", header: subscriptionTexts.argo, cell: ({ argo_code }) => argo_code },
  { id: "plan", header: subscriptionTexts.plan, cell: ({ plan_id }) => plan_id },
  {
    id: "from",
    header: subscriptionTexts.from,
    cell: ({ desde, last_day }) => (last_day === null ? desde : subscriptionTexts.lastDay(last_day)),
  },
  {
    id: "used",
    header: subscriptionTexts.used,
    align: "decimal",
    cell: ({ counters }) => creditsText(counters.credits_charged_micros),
  },
  {
    id: "events",
    header: subscriptionTexts.units,
    cell: ({ id, tenant_id }) => (
      <Anchor component={Link} href={`/platform/operator/tenants/${tenant_id}/events/${id}`}>
        {usageEventTexts.title}
      </Anchor>
    ),
  },
];

/** A tenant's subscriptions. */
function TenantSubscriptions({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  return (
    <Panel title={texts.subscriptions} flush>
      <PlainTable
        label={texts.subscriptions}
        columns={columns}
        rows={subscriptions}
        keyOf={({ id }) => id}
        empty={<p className="ar-panel-body ar-soft">{texts.noSubscriptions}</p>}
      />
    </Panel>
  );
}

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "wouter";
import type { AdminTenant } from "../../../../contracts/platform/admin.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { Facts } from "../../../parts/facts.tsx";
import { formatCredits, formatInstant, formatNumber } from "../../../parts/format.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { MonthPicker, useMonth } from "../../../parts/month-picker.tsx";
import { PageHead } from "../../../parts/page-head.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { StatusBadge } from "../../../parts/status-badge.tsx";
import { operatorTexts as texts } from "../../../texts/platform-runs.ts";
import { ConsumptionFigures } from "../consumption-figures.tsx";
import { ModelsUsed } from "../models-used.tsx";
import { TenantPlanDialog } from "./tenant-plan-dialog.tsx";
import { TenantSubscriptions } from "./tenant-subscriptions.tsx";

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
      <PageHead
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
      </PageHead>
      <Loaded query={query}>
        {(found) => (
          <>
            <ConsumptionFigures consumption={found.month} />
            <div className="ar-columns">
              <TenantFacts tenant={found} change={() => setChanging(true)} />
              <ModelsUsed models={found.month.by_model} />
              <TenantSubscriptions subscriptions={found.subscriptions} />
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
  return (
    <Panel
      title={texts.facts}
      actions={
        <Button size="xs" variant="default" onClick={change}>
          {texts.changePlan}
        </Button>
      }
    >
      <Facts
        facts={[
          { label: texts.code, value: <span className="ar-mono">{tenant.cr_name}</span> },
          { label: texts.tenantId, value: <span className="ar-mono">{tenant.id}</span> },
          { label: texts.owner, value: tenant.owner.email },
          { label: texts.plan, value: `${plan.name} (${plan.id})` },
          {
            label: texts.credits,
            value: `${formatCredits(credits.charged_micros)} (${credits.percent === null ? texts.noCap : texts.ofCap(credits.percent)})`,
          },
          { label: texts.agents, value: formatNumber(tenant.active_agents) },
          { label: texts.running, value: formatNumber(tenant.running) },
          { label: texts.created, value: formatInstant(tenant.created_at) },
        ]}
      />
    </Panel>
  );
}

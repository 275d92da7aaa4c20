import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../../../api/use-server.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { PageHead } from "../../../parts/page-head.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { StatusBadge } from "../../../parts/status-badge.tsx";
import { agentTexts as texts } from "../../../texts/platform-tenant.ts";
import { InvocationList } from "../runs/invocation-list.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { ConsumptionView } from "../usage/consumption-view.tsx";

/** The data that is kept of a deleted agent: its usage and its runs. */
export function DeletedAgent({ tenantId, name }: { tenantId: string; name: string }) {
  const platform = usePlatform(tenantId);
  const query = useQuery({
    queryKey: ["platform", tenantId, "metrics", name, "now"],
    queryFn: () => platform.agentMetrics(name),
  });
  const isKnown = query.data !== undefined;
  return (
    <>
      <PageHead
        title={name}
        lead={isKnown ? texts.deletedLead : undefined}
        up={{ href: tenantPaths(tenantId).agents, label: texts.up }}
        mark={isKnown && <StatusBadge tone="plain">{texts.deletedMark}</StatusBadge>}
      />
      <Loaded query={query}>
        {({ all_time }) => (
          <div className="ar-stack">
            <Panel title={texts.allTime}>
              <ConsumptionView consumption={all_time} />
            </Panel>
            <InvocationList tenantId={tenantId} agent={name} />
          </div>
        )}
      </Loaded>
    </>
  );
}

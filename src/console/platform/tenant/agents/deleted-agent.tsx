import { useQuery } from "@tanstack/react-query";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { agentTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { InvocationList } from "../runs/invocation-list.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { ConsumptionView } from "../usage/consumption-view.tsx";

/** The usage and the runs of a deleted agent. */
export function DeletedAgent({ tenantId, name }: { tenantId: string; name: string }) {
  const platform = usePlatform(tenantId);
  const query = useQuery({
    queryKey: ["platform", tenantId, "metrics", name, "now"],
    queryFn: () => platform.agentMetrics(name),
  });
  const isKnown = query.data !== undefined;
  return (
    <>
      <PageHeader
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

import { useQuery } from "@tanstack/react-query";
import type { PlatformAgentDetail } from "../../../../contracts/platform/agents.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { CodeEditor } from "../../../editor/code-editor.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { MonthPicker, useMonth } from "../../../parts/month-picker.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { agentTexts as texts } from "../../../texts/platform-tenant.ts";
import { ConsumptionView } from "../usage/consumption-view.tsx";
import { AgentSubscription } from "./agent-subscription.tsx";
import { manifestText } from "./manifest-text.ts";

/** An agent's usage, the source of its credits, and its manifest. */
export function AgentOverview({ tenantId, agent }: { tenantId: string; agent: PlatformAgentDetail }) {
  const platform = usePlatform(tenantId);
  const [period] = useMonth();
  const query = useQuery({
    queryKey: ["platform", tenantId, "metrics", agent.name, period],
    queryFn: () => platform.agentMetrics(agent.name, period),
  });
  return (
    <div className="ar-columns">
      <Panel title={texts.manifest} flush>
        <CodeEditor value={manifestText(agent.spec)} language="yaml" label={texts.manifest} maxHeight={560} />
      </Panel>
      <div className="ar-stack">
        <Panel title={texts.usage} actions={<MonthPicker />}>
          <Loaded query={query} rows={4}>
            {({ month }) => <ConsumptionView consumption={month} />}
          </Loaded>
        </Panel>
        <AgentSubscription tenantId={tenantId} agent={agent} />
      </div>
    </div>
  );
}

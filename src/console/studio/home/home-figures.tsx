import type { AgentSummary } from "../../../contracts/daemon/agents.ts";
import type { CostSummary } from "../../../contracts/daemon/costs.ts";
import type { ProviderList } from "../../../contracts/daemon/providers.ts";
import { Figures } from "../../parts/figures.tsx";
import { formatCompact, formatNumber, formatUsd } from "../../parts/format.ts";
import { homeTexts as texts } from "../../texts/studio-home.ts";

interface HomeFiguresProps {
  agents: readonly AgentSummary[] | undefined;
  waiting: number | undefined;
  costs: CostSummary | undefined;
  providers: ProviderList | undefined;
}

/** The numbers of the day; a dash stands for one that isn't known yet. */
export function HomeFigures({ agents, waiting, costs, providers }: HomeFiguresProps) {
  const count = (status: AgentSummary["status"]) =>
    formatNumber(agents?.filter((agent) => agent.status === status).length ?? 0);
  const called = providers?.providers.filter(({ status }) => status !== "unused") ?? [];
  const healthy = called.filter(({ status }) => status === "healthy").length;
  return (
    <Figures
      figures={[
        {
          label: texts.agents,
          value: agents === undefined ? texts.unknown : texts.ready(count("ready")),
          note: texts.agentsNote(count("failed"), count("paused")),
        },
        {
          label: texts.approvals,
          value: waiting === undefined ? texts.unknown : formatNumber(waiting),
          note: texts.approvalsNote,
        },
        {
          label: texts.runsToday,
          value: costs === undefined ? texts.unknown : formatNumber(costs.num_calls),
          note: texts.tokens(formatCompact(costs?.total_tokens ?? 0)),
        },
        {
          label: texts.costToday,
          value: costs === undefined ? texts.unknown : formatUsd(costs.total_cost),
          note:
            costs === undefined || costs.unpriced_calls === 0
              ? texts.allPriced
              : texts.unpricedNote(formatNumber(costs.unpriced_calls)),
        },
        {
          label: texts.providers,
          value: providers === undefined ? texts.unknown : stateOf(providers, healthy === called.length),
          note:
            called.length === 0
              ? texts.providersUnused
              : texts.providersNote(formatNumber(healthy), formatNumber(called.length)),
        },
      ]}
    />
  );
}

function stateOf({ rehearsing, providers }: ProviderList, isWell: boolean): string {
  if (rehearsing) return texts.rehearsing;
  if (isWell) return texts.well;
  return providers.some(({ status }) => status === "unavailable") ? texts.unavailable : texts.degraded;
}

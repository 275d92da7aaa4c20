import type { AgentSummary } from "../../../contracts/daemon/agents.ts";
import type { CostSummary } from "../../../contracts/daemon/costs.ts";
import type { ProviderList } from "../../../contracts/daemon/providers.ts";
import { Figures } from "../../parts/figures.tsx";
import { formatCompact, formatNumber, formatTime, formatUsd } from "../../parts/format.ts";
import { homeTexts as texts } from "../../texts/studio-home.ts";

interface HomeFiguresProps {
  agents: readonly AgentSummary[] | undefined;
  waiting: number | undefined;
  costs: CostSummary | undefined;
  /** Start of the period of the costs. */
  since: string;
  providers: ProviderList | undefined;
}

/** Numbers of the day; a dash for one that is not known yet. */
export function HomeFigures({ agents, waiting, costs, since, providers }: HomeFiguresProps) {
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
          note: agents && texts.agentsNote(count("failed"), count("paused")),
        },
        {
          label: texts.approvals,
          value: waiting === undefined ? texts.unknown : formatNumber(waiting),
          note: texts.approvalsNote,
        },
        {
          label: texts.runsToday,
          value: costs === undefined ? texts.unknown : formatNumber(costs.num_calls),
          note: costs && callsNote(costs, since),
        },
        {
          label: texts.costToday,
          value: costs === undefined ? texts.unknown : formatUsd(costs.total_cost),
          note: costs && priceNote(costs),
        },
        {
          label: texts.providers,
          value: providers === undefined ? texts.unknown : stateOf(providers, healthy === called.length),
          note:
            providers &&
            (called.length === 0
              ? texts.providersUnused
              : texts.providersNote(formatNumber(healthy), formatNumber(called.length))),
        },
      ]}
    />
  );
}

/** Returns the note on calls. The daemon keeps calls in memory, so the count may begin at its start. */
function callsNote(costs: CostSummary, since: string): string {
  const tokens = texts.tokens(formatCompact(costs.total_tokens));
  if (Date.parse(costs.counted_from) <= Date.parse(since)) return tokens;
  return texts.countedFrom(tokens, formatTime(costs.counted_from));
}

const priceNote = ({ unpriced_calls: calls }: CostSummary): string =>
  calls === 0 ? texts.allPriced : texts.unpricedNote(formatNumber(calls));

function stateOf({ rehearsing, providers }: ProviderList, isWell: boolean): string {
  if (rehearsing) return texts.rehearsing;
  if (isWell) return texts.well;
  return providers.some(({ status }) => status === "unavailable") ? texts.unavailable : texts.degraded;
}

import type { AgentSummary } from "../../../contracts/daemon/agents.ts";
import type { CostSummary } from "../../../contracts/daemon/models/costs.ts";
import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import { Figures } from "../../parts/layout/figures.tsx";
import { formatCompact, formatNumber, formatTime } from "../../parts/text/format.ts";
import { costOfUsd, figureCost } from "../../parts/text/money.ts";
import { homeTexts as texts } from "../../texts/studio/home.ts";
import { doctorTexts } from "../../texts/studio/monitoring.ts";

interface HomeFiguresProps {
  agents: readonly AgentSummary[] | undefined;
  waiting: number | undefined;
  costs: CostSummary | undefined;
  /** Start of the period of the costs. */
  since: string;
  rehearsing: boolean;
  /** Findings of the doctor on the providers. */
  models: DoctorCheck | undefined;
}

/** Numbers of the day; a dash means not yet known. */
export function HomeFigures({ agents, waiting, costs, since, rehearsing, models }: HomeFiguresProps) {
  const count = (status: AgentSummary["status"]) =>
    formatNumber(agents?.filter((agent) => agent.status === status).length ?? 0);
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
          value:
            costs === undefined
              ? texts.unknown
              : figureCost(costOfUsd(costs.total_cost, costs.unpriced_calls)),
          note: costs && priceNote(costs),
        },
        {
          label: texts.providers,
          value: rehearsing
            ? texts.rehearsing
            : models === undefined
              ? texts.unknown
              : doctorTexts[models.status],
          note: models && (models.findings ? texts.providersNote(models.findings.length) : models.message),
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
  calls === 0 ? texts.allPriced : texts.unpricedNote(calls, formatNumber(calls));

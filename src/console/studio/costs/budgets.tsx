import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Budget } from "../../../contracts/daemon/models/costs.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { RowButton } from "../../parts/tables/row-button.tsx";
import { costOfUsd, rowCost, rowUsd } from "../../parts/text/money.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { budgetTexts as texts } from "../../texts/studio/monitoring.ts";
import { useDaemon } from "../use-daemon.ts";
import { BudgetDialog } from "./budget-dialog.tsx";

/** Agents' budgets, and the amounts spent. */
export function Budgets() {
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "costs", "budgets"], queryFn: daemon.listBudgets });
  const [asked, ask] = useState<Budget | "new">();
  return (
    <Panel
      title={texts.title}
      flush
      actions={
        <Button size="xs" variant="default" onClick={() => ask("new")}>
          {texts.set}
        </Button>
      }
    >
      <Loaded query={query} rows={2}>
        {({ budgets }) =>
          budgets.some(({ has_budget }) => has_budget) ? (
            <PlainTable
              label={texts.title}
              columns={columnsFor(ask)}
              rows={budgets.filter(({ has_budget }) => has_budget)}
              keyOf={({ agent }) => agent}
            />
          ) : (
            <div className="ar-panel-body">
              <EmptyState text={texts.none} />
            </div>
          )
        }
      </Loaded>
      {asked !== undefined && (
        <BudgetDialog budget={asked === "new" ? undefined : asked} close={() => ask(undefined)} />
      )}
    </Panel>
  );
}

const columnsFor = (change: (budget: Budget) => void): PlainColumn<Budget>[] => [
  {
    id: "agent",
    header: texts.agent,
    cell: ({ agent, exceeded }) => (
      <>
        <span className="ar-break">{agent}</span>{" "}
        <StatusBadge tone={exceeded ? "bad" : "good"}>{exceeded ? texts.exceeded : texts.within}</StatusBadge>
      </>
    ),
  },
  {
    id: "budget",
    header: texts.budget,
    align: "decimal",
    from: "sm",
    cell: ({ budget }) => amountOf(budget),
  },
  {
    id: "spent",
    header: texts.spent,
    align: "decimal",
    from: "sm",
    cell: ({ spent, unpriced_calls }) => rowCost(costOfUsd(spent, unpriced_calls)),
  },
  {
    id: "remaining",
    header: texts.remaining,
    align: "decimal",
    cell: ({ remaining }) => amountOf(remaining),
  },
  {
    id: "change",
    header: texts.change,
    hidesHeader: true,
    align: "end",
    cell: (budget) => <RowButton label={texts.change} onClick={() => change(budget)} />,
  },
];

const amountOf = (usd: number | null): string => (usd === null ? texts.unlimited : rowUsd(usd));

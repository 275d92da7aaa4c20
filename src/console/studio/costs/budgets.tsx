import { Button, Table, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Budget } from "../../../contracts/daemon/costs.ts";
import { useDaemon } from "../../api/use-server.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { formatUsd } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { budgetTexts as texts } from "../../texts/studio-watch.ts";
import { BudgetDialog } from "./budget-dialog.tsx";

/** What agents may spend, and have. */
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
            <BudgetTable budgets={budgets.filter(({ has_budget }) => has_budget)} change={ask} />
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

function BudgetTable({ budgets, change }: { budgets: readonly Budget[]; change: (budget: Budget) => void }) {
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.agent}</Table.Th>
          <Table.Th className="ar-end">{texts.budget}</Table.Th>
          <Table.Th className="ar-end">{texts.spent}</Table.Th>
          <Table.Th className="ar-end">{texts.remaining}</Table.Th>
          <Table.Th>
            <VisuallyHidden>{texts.change}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {budgets.map((budget) => (
          <Table.Tr key={budget.agent}>
            <Table.Td>
              <span className="ar-break">{budget.agent}</span>{" "}
              <StatusBadge tone={budget.exceeded ? "bad" : "good"}>
                {budget.exceeded ? texts.exceeded : texts.within}
              </StatusBadge>
            </Table.Td>
            <Table.Td className="ar-end">{amountOf(budget.budget)}</Table.Td>
            <Table.Td className="ar-end">{formatUsd(budget.spent)}</Table.Td>
            <Table.Td className="ar-end">{amountOf(budget.remaining)}</Table.Td>
            <Table.Td className="ar-end">
              <Button size="compact-xs" variant="subtle" onClick={() => change(budget)}>
                {texts.change}
              </Button>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const amountOf = (usd: number | null): string => (usd === null ? texts.unlimited : formatUsd(usd));

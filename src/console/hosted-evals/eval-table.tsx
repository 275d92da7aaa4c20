import { Group } from "@mantine/core";
import type { HostedEval } from "../../contracts/evals/hosted-evals.ts";
import { type PlainColumn, PlainTable } from "../parts/tables/plain-table.tsx";
import { RowButton } from "../parts/tables/row-button.tsx";
import { formatNumber } from "../parts/text/format.ts";
import { Instant } from "../parts/text/instant.tsx";
import { hostedEvalTexts as texts } from "../texts/hosted-evals.ts";

interface EvalActions {
  managesGates: boolean;
  show: (one: HostedEval) => void;
  run: (one: HostedEval) => void;
  remove: (one: HostedEval) => void;
}

/** The stored evals. */
export function EvalTable({ evals, ...actions }: EvalActions & { evals: readonly HostedEval[] }) {
  return (
    <div className="ar-panel">
      <PlainTable label={texts.list} columns={columnsFor(actions)} rows={evals} keyOf={({ name }) => name} />
    </div>
  );
}

const columnsFor = ({ managesGates, show, run, remove }: EvalActions): PlainColumn<HostedEval>[] => [
  {
    id: "name",
    header: texts.name,
    cell: ({ name, agent, required_by: gates }) => (
      <>
        <div className="ar-mono ar-break ar-tn-strong">{name}</div>
        <div className="ar-soft ar-break">{agent}</div>
        {gates.length > 0 && <div className="ar-soft ar-break">{texts.requiredBy(gates.join(", "))}</div>}
      </>
    ),
  },
  {
    id: "cases",
    header: texts.cases,
    align: "end",
    from: "sm",
    cell: ({ cases }) => formatNumber(cases),
  },
  {
    id: "updated",
    header: texts.updatedAt,
    from: "md",
    cell: ({ updated_at }) => <Instant iso={updated_at} />,
  },
  {
    id: "actions",
    header: texts.actions,
    hidesHeader: true,
    cell: (one) => (
      <Group gap={4} justify="flex-end">
        <RowButton label={texts.run} title={texts.runTitle(one.name)} onClick={() => run(one)} />
        <RowButton label={texts.show} title={texts.showTitle(one.name)} onClick={() => show(one)} />
        {(managesGates || one.required_by.length === 0) && (
          <RowButton
            label={texts.remove}
            title={texts.deleteTitle(one.name)}
            isDanger
            onClick={() => remove(one)}
          />
        )}
      </Group>
    ),
  },
];

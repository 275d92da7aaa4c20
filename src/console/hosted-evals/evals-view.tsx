import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { HostedEval, HostedEvalRun } from "../../contracts/evals/hosted-evals.ts";
import { Confirm } from "../parts/dialogs/confirm.tsx";
import { PageHeader } from "../parts/layout/page-header.tsx";
import { Panel } from "../parts/layout/panel.tsx";
import { notify } from "../parts/notices.tsx";
import { EmptyState } from "../parts/states/empty-state.tsx";
import { Loaded } from "../parts/states/loaded.tsx";
import { hostedEvalTexts as texts } from "../texts/hosted-evals.ts";
import { EvalDialog } from "./eval-dialog.tsx";
import type { EvalHost } from "./eval-host.ts";
import { EvalRunList } from "./eval-run-list.tsx";
import { EvalTable } from "./eval-table.tsx";

/** The page of a tenant's or an org's evals. */
export function EvalsView<Run extends HostedEvalRun>({ host }: { host: EvalHost<Run> }) {
  const { calls, keys } = host;
  const queries = useQueryClient();
  const query = useQuery({ queryKey: keys.list, queryFn: calls.listEvals });
  /** Name of the eval that is shown; an empty one: a new eval. */
  const [shown, show] = useState<string>();
  const [asked, ask] = useState<HostedEval>();
  const [removed, remove] = useState<HostedEval>();
  const changed = () => queries.invalidateQueries({ queryKey: keys.all });
  const store = <Button onClick={() => show("")}>{texts.store}</Button>;
  return (
    <>
      <PageHeader title={texts.title} lead={host.texts.lead}>
        {query.data !== undefined && query.data.evals.length > 0 && store}
      </PageHeader>
      <div className="ar-stack">
        <Loaded query={query} rows={3}>
          {({ evals }) =>
            evals.length === 0 ? (
              <EmptyState title={texts.noneTitle} text={host.texts.none}>
                {store}
              </EmptyState>
            ) : (
              <EvalTable
                evals={evals}
                managesGates={host.managesGates}
                show={({ name }) => show(name)}
                run={ask}
                remove={remove}
              />
            )
          }
        </Loaded>
        <Panel title={texts.runs} flush>
          <EvalRunList host={host} />
        </Panel>
      </div>
      {shown !== undefined && (
        <EvalDialog host={host} name={shown} saved={changed} close={() => show(undefined)} />
      )}
      {asked !== undefined && host.runDialog(asked, () => ask(undefined))}
      {removed !== undefined && (
        <Confirm
          opened
          title={texts.deleteTitle(removed.name)}
          text={host.texts.deleteText}
          action={texts.deleteAction}
          onClose={() => remove(undefined)}
          onConfirm={async () => {
            await calls.deleteEval(removed.name);
            await changed();
            notify(texts.deleted(removed.name));
          }}
        />
      )}
    </>
  );
}

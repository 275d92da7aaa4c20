import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { HostedEval } from "../../../../contracts/evals/hosted-evals.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { notify } from "../../../parts/notices.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { tenantEvalTexts as texts } from "../../../texts/platform/tenant-evals.ts";
import { usePlatform } from "../../use-platform.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { EvalDialog } from "./eval-dialog.tsx";
import { EvalRunDialog } from "./eval-run-dialog.tsx";
import { EvalRunList } from "./eval-run-list.tsx";
import { EvalTable } from "./eval-table.tsx";
import { tenantEvalKeys } from "./tenant-eval-keys.ts";

export default tenantPage(EvalsPage);

function EvalsPage({ tenant }: TenantPageProps) {
  const platform = usePlatform(tenant.id);
  const queries = useQueryClient();
  const keys = tenantEvalKeys(tenant.id);
  const query = useQuery({ queryKey: keys.list, queryFn: platform.listEvals });
  /** Name of the eval that is shown; an empty one: a new eval. */
  const [shown, show] = useState<string>();
  const [asked, ask] = useState<HostedEval>();
  const [removed, remove] = useState<HostedEval>();
  const changed = () => queries.invalidateQueries({ queryKey: keys.all });
  const store = <Button onClick={() => show("")}>{texts.store}</Button>;
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead(tenant.displayName)}>
        {query.data !== undefined && query.data.evals.length > 0 && store}
      </PageHeader>
      <div className="ar-stack">
        <Loaded query={query} rows={3}>
          {({ evals }) =>
            evals.length === 0 ? (
              <EmptyState title={texts.noneTitle} text={texts.none}>
                {store}
              </EmptyState>
            ) : (
              <EvalTable evals={evals} show={({ name }) => show(name)} run={ask} remove={remove} />
            )
          }
        </Loaded>
        <Panel title={texts.runs} flush>
          <EvalRunList tenantId={tenant.id} />
        </Panel>
      </div>
      {shown !== undefined && (
        <EvalDialog tenantId={tenant.id} name={shown} saved={changed} close={() => show(undefined)} />
      )}
      {asked !== undefined && <EvalRunDialog tenantId={tenant.id} of={asked} close={() => ask(undefined)} />}
      {removed !== undefined && (
        <Confirm
          opened
          title={texts.deleteTitle(removed.name)}
          text={texts.deleteText}
          action={texts.deleteAction}
          onClose={() => remove(undefined)}
          onConfirm={async () => {
            await platform.deleteEval(removed.name);
            await changed();
            notify(texts.deleted(removed.name));
          }}
        />
      )}
    </>
  );
}

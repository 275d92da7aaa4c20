import { Button, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReconcilePlan } from "../../../contracts/translator/reconcile.ts";
import type { SpecReference } from "../../../contracts/translator/translation.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { specPageTexts as texts } from "../../texts/translator/translator.ts";
import { useTranslator } from "../use-translator.ts";
import { ApplyProgress } from "./apply-progress.tsx";
import { ChangeList } from "./change-list.tsx";

interface PlanViewProps {
  spec: SpecReference;
  account: string;
}

/** Shows the planned changes as a diff, and carries them out. */
export function PlanView({ spec: { kind, name }, account }: PlanViewProps) {
  const translator = useTranslator();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [applied, apply] = useState<ReconcilePlan>();
  const query = useQuery({
    queryKey: ["translator", "plan", kind, name, account],
    queryFn: ({ signal }) => translator.plan(kind, name, { account }, { signal }),
    // A cloud may take minutes, so a plan is made only when asked for.
    refetchOnWindowFocus: false,
    enabled: applied === undefined,
  });
  const refresh = () => {
    apply(undefined);
    return queries.invalidateQueries({ queryKey: ["translator", "plan", kind, name] });
  };
  if (applied !== undefined) {
    return <ApplyProgress plan={applied} close={() => void refresh()} />;
  }
  return (
    <Loaded query={query}>
      {(plan) => {
        const countOf = (action: string) => plan.changes.filter((change) => change.action === action).length;
        const deletes = countOf("delete");
        return (
          <Panel
            title={texts.planTitle(plan.account)}
            actions={
              <>
                <Button size="xs" variant="default" loading={query.isFetching} onClick={() => void refresh()}>
                  {texts.refresh}
                </Button>
                {plan.changes.length > 0 && (
                  <Button size="xs" onClick={() => setAsking(true)}>
                    {texts.apply}
                  </Button>
                )}
              </>
            }
          >
            {plan.changes.length === 0 ? (
              <EmptyState text={texts.planNone} />
            ) : (
              <div className="ar-stack">
                <Text className="ar-soft">
                  {texts.planCount(countOf("create"), countOf("update"), deletes)}
                </Text>
                <ChangeList label={texts.views.plan} changes={plan.changes} />
                <Text size="xs" className="ar-soft ar-break">
                  {texts.hash}: <span className="ar-mono">{plan.hash}</span>
                </Text>
              </div>
            )}
            <Confirm
              opened={isAsking}
              title={texts.applyTitle(plan.account)}
              text={
                <>
                  {texts.applyText(plan.changes.length)}
                  {deletes > 0 && <div className="ar-danger">{texts.applyDeletes(deletes)}</div>}
                </>
              }
              action={texts.apply}
              onClose={() => setAsking(false)}
              onConfirm={async () => apply(plan)}
            />
          </Panel>
        );
      }}
    </Loaded>
  );
}

import { Button, Group, Progress, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type {
  ReconcilePlan,
  ReconcileStep,
  ResourceChange,
} from "../../../contracts/translator/reconcile.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { specPageTexts as texts } from "../../texts/translator/translator.ts";
import { useTranslator } from "../use-translator.ts";
import { ChangeTitle } from "./change-list.tsx";

type StepState = keyof typeof texts.steps;

const tones: Readonly<Record<StepState, Tone>> = {
  waiting: "plain",
  begun: "accent",
  done: "good",
  failed: "bad",
  skipped: "warn",
};

const keyOf = ({
  action,
  resource_type,
  resource,
}: Pick<ResourceChange, "action" | "resource_type" | "resource">) => `${action} ${resource_type} ${resource}`;

/** Applies exactly this plan, once, and shows each change as it happens. */
export function ApplyProgress({ plan, close }: { plan: ReconcilePlan; close: () => void }) {
  const translator = useTranslator();
  const queries = useQueryClient();
  const [steps, setSteps] = useState<ReadonlyMap<string, ReconcileStep["state"]>>(new Map());
  const [ended, setEnded] = useState<{ failure?: unknown }>();
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    const { kind, name, account, hash } = plan;
    const apply = async () => {
      for await (const frame of translator.reconcileSteps(kind, name, { account, hash })) {
        if (frame.type === "step") setSteps((now) => new Map([...now, [keyOf(frame), frame.state]]));
      }
    };
    apply()
      .then(
        () => setEnded({}),
        (failure: unknown) => setEnded({ failure }),
      )
      .finally(() => {
        void queries.invalidateQueries({ queryKey: ["translator", "drift"] });
        void queries.invalidateQueries({ queryKey: ["translator", "held"] });
      });
  }, [plan, translator, queries]);
  const done = [...steps.values()].filter((state) => state === "done").length;
  const hasFailed = ended?.failure !== undefined;
  const stateOf = (change: ResourceChange): StepState => {
    const state = steps.get(keyOf(change));
    if (!hasFailed) return state ?? "waiting";
    return state === undefined ? "skipped" : state === "begun" ? "failed" : state;
  };
  return (
    <Panel
      title={ended === undefined ? texts.applying : hasFailed ? texts.applyFailed : texts.applied}
      actions={
        ended !== undefined && (
          <Button size="xs" onClick={close}>
            {texts.views.plan}
          </Button>
        )
      }
    >
      <div className="ar-stack">
        <Group justify="space-between">
          <Text aria-live="polite">{texts.progress(done, plan.changes.length)}</Text>
          {ended === undefined && <Text className="ar-soft">{texts.keepsGoing}</Text>}
        </Group>
        <Progress
          value={plan.changes.length === 0 ? 100 : (done / plan.changes.length) * 100}
          aria-label={texts.applying}
          {...(hasFailed && { color: "red" })}
        />
        {hasFailed && <FailureView thrown={ended.failure} />}
        <ul className="ar-tr-changes" aria-label={texts.applying}>
          {plan.changes.map((change) => {
            const state = stateOf(change);
            return (
              <li key={keyOf(change)}>
                <ChangeTitle {...change} type={change.resource_type}>
                  <span className="ar-tr-state">
                    <StatusBadge tone={tones[state]}>{texts.steps[state]}</StatusBadge>
                  </span>
                </ChangeTitle>
              </li>
            );
          })}
        </ul>
      </div>
    </Panel>
  );
}

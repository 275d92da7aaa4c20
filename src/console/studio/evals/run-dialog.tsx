import { MultiSelect, NumberInput, Select, Text } from "@mantine/core";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { EvalRunOrder } from "../../../contracts/daemon/evals/eval-runs.ts";
import type { EvalDetail } from "../../../contracts/daemon/evals/evals.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { figureUsd } from "../../parts/text/money.ts";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { useDaemon } from "../use-daemon.ts";
import { evalKeys, evalRunPath } from "./eval-keys.ts";
import { areSendable, orderedTargets, type TargetDraft, TargetRows } from "./target-rows.tsx";

interface Choices {
  agent: string;
  targets: TargetDraft[];
  tags: string[];
  repeat: number | string;
  concurrency: number | string;
  budget: number | string;
  mode: "live" | "record" | "replay";
}

/** Starts a run of an eval, after it has told how many calls that will make. */
export function RunDialog({ detail, close }: { detail: EvalDetail; close: () => void }) {
  const { name, agent = "", tags, spec } = detail;
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [choices, setChoices] = useState<Choices>({
    agent,
    targets: [],
    tags: [],
    repeat: numberIn(spec.repeat, 1),
    concurrency: numberIn(spec.concurrency, 4),
    budget: numberIn(spec.budget_usd, ""),
    mode: "live",
  });
  const set = (changed: Partial<Choices>) => setChoices((now) => ({ ...now, ...changed }));
  const agents = useQuery({ queryKey: ["daemon", "agents"], queryFn: daemon.listAgents });
  const order = orderOf(choices, agent);
  const plan = useQuery({
    queryKey: [...evalKeys.one(name), "plan", order],
    queryFn: ({ signal }) => daemon.planEvalRun(name, order, signal),
    placeholderData: keepPreviousData,
    enabled: areSendable(choices.targets),
    retry: false,
  });
  return (
    <FormDialog
      title={texts.runTitle(name)}
      action={texts.runAction}
      size="lg"
      close={close}
      isComplete={plan.isSuccess && areSendable(choices.targets)}
      send={async () => {
        const { id } = await daemon.startEvalRun(name, order);
        await queries.invalidateQueries({ queryKey: evalKeys.all });
        go(evalRunPath(id));
      }}
    >
      <Select
        label={texts.otherAgent}
        data={[...new Set([agent, ...(agents.data?.agents ?? []).map((one) => one.name)])]}
        searchable
        allowDeselect={false}
        value={choices.agent}
        onChange={(value) => set({ agent: value ?? agent })}
      />
      <TargetRows
        targets={choices.targets}
        change={(targets) => set({ targets })}
        own={choices.agent}
        agents={(agents.data?.agents ?? []).map((one) => one.name)}
      />
      {tags.length > 0 && (
        <MultiSelect
          label={texts.onlyTags}
          data={[...tags]}
          value={choices.tags}
          onChange={(chosen) => set({ tags: chosen })}
        />
      )}
      <div className="ar-eval-sides">
        <NumberInput
          label={texts.repeat}
          min={1}
          max={100}
          allowDecimal={false}
          value={choices.repeat}
          onChange={(repeat) => set({ repeat })}
        />
        <NumberInput
          label={texts.concurrency}
          min={1}
          max={64}
          allowDecimal={false}
          value={choices.concurrency}
          onChange={(concurrency) => set({ concurrency })}
        />
        <NumberInput
          label={texts.budget}
          description={texts.budgetHint}
          min={0}
          max={100_000}
          decimalScale={6}
          value={choices.budget}
          onChange={(budget) => set({ budget })}
        />
        <Select
          label={texts.mode}
          allowDeselect={false}
          data={(["live", "record", "replay"] as const).map((value) => ({
            value,
            label: texts.modes[value],
          }))}
          value={choices.mode}
          onChange={(value) => set({ mode: (value ?? "live") as Choices["mode"] })}
        />
      </div>
      {plan.isError ? (
        <FailureView thrown={plan.error} />
      ) : (
        <Text aria-live="polite">
          {plan.data === undefined
            ? texts.planning
            : `${texts.plan(plan.data.runs, plan.data.agent_calls, plan.data.judge_calls)} ${
                plan.data.budget_usd === undefined ? "" : texts.planBudget(figureUsd(plan.data.budget_usd))
              }`}
        </Text>
      )}
    </FormDialog>
  );
}

const numberIn = <Other,>(value: unknown, other: Other): number | Other =>
  typeof value === "number" ? value : other;

function orderOf(choices: Choices, own: string): EvalRunOrder {
  const { agent, targets, tags, repeat, concurrency, budget, mode } = choices;
  return {
    ...(agent !== own && { agent }),
    ...(targets.length > 0 && { targets: orderedTargets(targets, agent) }),
    ...(tags.length > 0 && { tags }),
    ...(typeof repeat === "number" && { repeat }),
    ...(typeof concurrency === "number" && { concurrency }),
    ...(typeof budget === "number" && { budget_usd: budget }),
    mode,
  };
}

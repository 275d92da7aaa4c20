import { Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { HostedEval } from "../../../contracts/evals/hosted-evals.ts";
import { evalKeys } from "../../hosted-evals/eval-host.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import type { NumberEntry } from "../../parts/inputs/number-entry.ts";
import { NumberField } from "../../parts/inputs/number-field.tsx";
import { orgEvalTexts as texts } from "../../texts/cloud/evals.ts";
import { hostedEvalTexts } from "../../texts/hosted-evals.ts";
import { orgPaths } from "../cloud-paths.ts";
import { useCloud } from "../use-cloud.ts";

interface EvalRunDialogProps {
  slug: string;
  of: HostedEval;
  close: () => void;
}

/** Orders a run of an eval, which asks the agent as it is, and opens it. */
export function EvalRunDialog({ slug, of, close }: EvalRunDialogProps) {
  const cloud = useCloud();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [budget, setBudget] = useState<NumberEntry>(null);
  return (
    <FormDialog
      title={hostedEvalTexts.runTitle(of.name)}
      action={hostedEvalTexts.runAction}
      isComplete={budget === null || typeof budget === "number"}
      close={close}
      send={async () => {
        const order = typeof budget === "number" ? { budget_tokens: budget } : {};
        const { id } = await cloud.evals(slug).startEvalRun(of.name, order);
        await queries.invalidateQueries({ queryKey: evalKeys("cloud", slug).all });
        go(orgPaths(slug).evalRun(id));
      }}
    >
      <Text size="sm" className="ar-soft">
        {texts.runText}
      </Text>
      <NumberField
        label={hostedEvalTexts.budget}
        description={texts.budgetHint}
        rules={{ decimals: 0, min: 0, max: Number.MAX_SAFE_INTEGER }}
        value={budget}
        onChange={setBudget}
      />
    </FormDialog>
  );
}

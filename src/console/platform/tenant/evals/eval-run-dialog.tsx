import { Text, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { HostedEval } from "../../../../contracts/evals/hosted-evals.ts";
import { evalKeys } from "../../../hosted-evals/eval-host.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { MicrosInput } from "../../../parts/inputs/micros-input.tsx";
import type { NumberEntry } from "../../../parts/inputs/number-entry.ts";
import { hostedEvalTexts } from "../../../texts/hosted-evals.ts";
import { tenantEvalTexts as texts } from "../../../texts/platform/tenant-evals.ts";
import { usePlatform } from "../../use-platform.ts";
import { tenantPaths } from "../tenant-paths.ts";

interface EvalRunDialogProps {
  tenantId: string;
  of: HostedEval;
  close: () => void;
}

/** Orders a run of an eval, and opens it. */
export function EvalRunDialog({ tenantId, of, close }: EvalRunDialogProps) {
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [manifest, setManifest] = useState("");
  const [budget, setBudget] = useState<NumberEntry>(null);
  return (
    <FormDialog
      size="lg"
      title={hostedEvalTexts.runTitle(of.name)}
      action={hostedEvalTexts.runAction}
      isComplete={budget === null || typeof budget === "number"}
      close={close}
      send={async () => {
        const { id } = await platform.startEvalRun(of.name, {
          ...(manifest.trim() !== "" && { spec: manifest }),
          ...(typeof budget === "number" && { budget_credits_micros: budget }),
        });
        await queries.invalidateQueries({ queryKey: evalKeys("platform", tenantId).all });
        go(tenantPaths(tenantId).evalRun(id));
      }}
    >
      <Text size="sm" className="ar-soft">
        {texts.runText}
      </Text>
      <Textarea
        label={texts.manifest}
        description={texts.manifestHint}
        classNames={{ input: "ar-mono" }}
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        value={manifest}
        onChange={(event) => setManifest(event.currentTarget.value)}
      />
      <MicrosInput
        label={hostedEvalTexts.budget}
        description={texts.budgetHint}
        value={budget}
        onChange={setBudget}
      />
    </FormDialog>
  );
}

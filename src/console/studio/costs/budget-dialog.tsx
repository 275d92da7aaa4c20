import { Checkbox, Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Budget } from "../../../contracts/daemon/models/costs.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { areReadable, enteredNumber, type NumberEntry } from "../../parts/inputs/number-entry.ts";
import { NumberField } from "../../parts/inputs/number-field.tsx";
import { notify } from "../../parts/notices.tsx";
import { budgetTexts as texts } from "../../texts/studio/monitoring.ts";
import { useDaemon } from "../use-daemon.ts";

const budgetRules = { decimals: 6, min: 0, max: 1_000_000_000 };

/** Sets an agent's budget; without `budget`, it asks for the agent. */
export function BudgetDialog({ budget, close }: { budget: Budget | undefined; close: () => void }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const agents = useQuery({ queryKey: ["daemon", "agents"], queryFn: daemon.listAgents });
  const [agent, setAgent] = useState(budget?.agent ?? "");
  const [amount, setAmount] = useState<NumberEntry>(budget?.budget ?? null);
  const [isReset, setReset] = useState(false);
  const send = async () => {
    await daemon.setBudget(agent, {
      budget: enteredNumber(amount),
      ...(isReset ? { reset: true } : {}),
    });
    await queries.invalidateQueries({ queryKey: ["daemon", "costs", "budgets"] });
    notify(texts.saved(agent));
  };
  return (
    <FormDialog
      title={texts.dialog(budget?.agent ?? "")}
      action={texts.save}
      isComplete={agent !== "" && areReadable([amount])}
      close={close}
      send={send}
    >
      {budget === undefined && (
        <Select
          label={texts.agent}
          required
          searchable
          data={agents.data?.agents.map(({ name }) => name) ?? []}
          value={agent === "" ? null : agent}
          onChange={(value) => setAgent(value ?? "")}
        />
      )}
      <NumberField
        label={texts.amount}
        description={texts.amountHint}
        rules={budgetRules}
        prefix="$"
        value={amount}
        onChange={setAmount}
      />
      <Checkbox
        label={texts.reset}
        checked={isReset}
        onChange={(event) => setReset(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}

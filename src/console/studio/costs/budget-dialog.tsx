import { Button, Checkbox, Group, Modal, NumberInput, Select, Stack } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Budget } from "../../../contracts/daemon/costs.ts";
import { useDaemon } from "../../api/use-server.tsx";
import { FailureView } from "../../parts/failure-view.tsx";
import { say } from "../../parts/say.ts";
import { partTexts } from "../../texts/parts.ts";
import { budgetTexts as texts } from "../../texts/studio-watch.ts";

/** Sets what an agent may spend; without `budget` it asks of which. */
export function BudgetDialog({ budget, close }: { budget: Budget | undefined; close: () => void }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const agents = useQuery({ queryKey: ["daemon", "agents"], queryFn: daemon.listAgents });
  const [agent, setAgent] = useState(budget?.agent ?? "");
  const [amount, setAmount] = useState<number | string>(budget?.budget ?? "");
  const [isReset, setReset] = useState(false);
  const save = useMutation({
    mutationFn: () =>
      daemon.setBudget(agent, {
        budget: typeof amount === "number" ? amount : null,
        ...(isReset ? { reset: true } : {}),
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ["daemon", "costs", "budgets"] });
      say(texts.saved(agent));
      close();
    },
  });
  return (
    <Modal
      opened
      onClose={close}
      title={texts.dialog(budget?.agent ?? "")}
      closeButtonProps={{ "aria-label": partTexts.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack>
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
          <NumberInput
            label={texts.amount}
            description={texts.amountHint}
            min={0}
            decimalScale={6}
            prefix="$"
            value={amount}
            onChange={setAmount}
          />
          <Checkbox
            label={texts.reset}
            checked={isReset}
            onChange={(event) => setReset(event.currentTarget.checked)}
          />
          {save.isError && <FailureView thrown={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {partTexts.cancel}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={agent === ""}>
              {texts.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

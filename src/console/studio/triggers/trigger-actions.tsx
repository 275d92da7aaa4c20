import { Button, Group } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { TriggerSummary } from "../../../contracts/daemon/triggers.ts";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { triggerTexts as texts } from "../../texts/studio/triggers.ts";
import { useDaemon } from "../use-daemon.ts";

/** Pauses or resumes a trigger, or opens the dialog that fires it. */
export function TriggerActions({ trigger, fire }: { trigger: TriggerSummary; fire: () => void }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const { agent, name, paused } = trigger;
  const change = useMutation({
    mutationFn: () => (paused ? daemon.resumeTrigger(agent, name) : daemon.pauseTrigger(agent, name)),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["daemon", "triggers"] }),
  });
  return (
    <>
      <Group gap="xs" wrap="nowrap" justify="flex-end">
        <Button
          size="compact-sm"
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate()}
        >
          {paused ? texts.resume : texts.pause}
        </Button>
        <Button size="compact-sm" variant="default" onClick={fire}>
          {texts.fire}
        </Button>
      </Group>
      {change.error && <FailureView thrown={change.error} />}
    </>
  );
}

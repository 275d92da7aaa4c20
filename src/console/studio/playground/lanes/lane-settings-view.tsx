import { Button, Group, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { entryText, readNumber } from "../../../parts/inputs/number-entry.ts";
import { NumberField } from "../../../parts/inputs/number-field.tsx";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { playTexts as texts } from "../../../texts/studio/runs.ts";
import { useDaemon } from "../../use-daemon.ts";
import { laneRules, readManifest } from "./lane-override.ts";
import type { Lane, LaneChange } from "./use-lanes.ts";

interface LaneSettingsProps {
  lane: Lane;
  change: (change: LaneChange) => void;
}

/** Sampling and system prompt of a column. */
export function LaneSettingsView({ lane: { agent, settings }, change }: LaneSettingsProps) {
  const { temperature, maxTokens, systemPrompt } = settings;
  return (
    <Stack gap="xs" pt="xs">
      <Group gap="xs" grow>
        <NumberField
          label={texts.temperature}
          placeholder={texts.own}
          rules={laneRules.temperature}
          step={0.1}
          value={readNumber(temperature, laneRules.temperature)}
          onChange={(value) => change({ temperature: entryText(value) })}
        />
        <NumberField
          label={texts.maxTokens}
          placeholder={texts.own}
          rules={laneRules.maxTokens}
          value={readNumber(maxTokens, laneRules.maxTokens)}
          onChange={(value) => change({ maxTokens: entryText(value) })}
        />
      </Group>
      {systemPrompt === undefined ? (
        <PromptButton agent={agent} change={change} />
      ) : (
        <>
          <Textarea
            label={texts.prompt}
            description={texts.promptHint}
            autosize
            minRows={4}
            maxRows={16}
            value={systemPrompt}
            onChange={(event) => change({ systemPrompt: event.currentTarget.value })}
          />
          <Group>
            <Button size="xs" variant="default" onClick={() => change({ systemPrompt: undefined })}>
              {texts.keepPrompt}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

/** Fills the field with the agent's own prompt. */
function PromptButton({ agent, change }: { agent: string; change: (change: LaneChange) => void }) {
  const daemon = useDaemon();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        loading={isBusy}
        onClick={async () => {
          setBusy(true);
          setFailure(undefined);
          try {
            change({ systemPrompt: (await readManifest(await daemon.getManifest(agent))).prompt });
          } catch (thrown) {
            setFailure(thrown);
          } finally {
            setBusy(false);
          }
        }}
      >
        {texts.changePrompt}
      </Button>
      {failure !== undefined && <FailureView thrown={failure} />}
    </Group>
  );
}

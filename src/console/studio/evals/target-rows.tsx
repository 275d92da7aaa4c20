import { Autocomplete, Button, Group, Select, Text, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { EvalTargetOrder } from "../../../contracts/daemon/evals/eval-runs.ts";
import { Icon } from "../../parts/icon.tsx";
import {
  areReadable,
  enteredNumber,
  entryText,
  type NumberRules,
  readNumber,
} from "../../parts/inputs/number-entry.ts";
import { NumberField } from "../../parts/inputs/number-field.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { readManifest } from "../playground/lanes/lane-override.ts";
import { useDaemon } from "../use-daemon.ts";

/** A target of a run as the form has it; "" and undefined mean the agent's own. */
export interface TargetDraft {
  key: number;
  agent: string;
  model: string;
  temperature: string;
  prompt?: string | undefined;
  /** Version that prompt and model were taken from. */
  version?: number | undefined;
}

const temperatureRules: NumberRules = { decimals: 15, min: 0, max: 2 };

/** True if all targets can be sent. */
export const areSendable = (targets: readonly TargetDraft[]): boolean =>
  targets.every(
    ({ temperature, model }) =>
      areReadable([readNumber(temperature, temperatureRules)]) && (model === "" || /^[^/]+\/./.test(model)),
  );

/** The targets as a run is ordered with them. Those of versions are named by their number, and drafts of a prompt by that of the target. */
export const orderedTargets = (targets: readonly TargetDraft[], own: string): EvalTargetOrder[] =>
  targets.map(({ agent, model, temperature, prompt, version }, index) => {
    const degrees = enteredNumber(readNumber(temperature, temperatureRules));
    const hasPrompt = prompt !== undefined && prompt !== "";
    const said = version !== undefined ? `v${version}` : hasPrompt ? `prompt ${index + 1}` : undefined;
    return {
      ...(said !== undefined && {
        name: [agent === "" ? own : agent, said, ...(degrees === null ? [] : [`${degrees}`])].join(" "),
      }),
      ...(agent !== "" && { agent }),
      ...(model !== "" && { model }),
      ...(degrees !== null && { temperature: degrees }),
      ...(hasPrompt && { prompt }),
    };
  });

interface TargetRowsProps {
  targets: readonly TargetDraft[];
  change: (targets: TargetDraft[]) => void;
  /** Agent of the run. */
  own: string;
  agents: readonly string[];
}

/** What each case is asked of: agents, versions, drafts of a prompt, models. */
export function TargetRows({ targets, change, own, agents }: TargetRowsProps) {
  const daemon = useDaemon();
  const providers = useQuery({ queryKey: ["daemon", "providers"], queryFn: daemon.listProviders });
  const models = (providers.data?.providers ?? []).flatMap(({ name, models: known }) =>
    known.map(({ model }) => `${name}/${model}`),
  );
  const add = () =>
    change([
      ...targets,
      { key: Math.max(-1, ...targets.map(({ key }) => key)) + 1, agent: "", model: "", temperature: "" },
    ]);
  return (
    <fieldset className="ar-eval-checks">
      <Text component="legend" size="sm" fw={500}>
        {texts.targets}
      </Text>
      <Text size="xs" className="ar-soft">
        {texts.targetsHint}
      </Text>
      {targets.map((target, index) => (
        <TargetRow
          key={target.key}
          number={index + 1}
          target={target}
          own={own}
          agents={agents}
          models={models}
          change={(changed) =>
            change(targets.map((one) => (one.key === target.key ? { ...one, ...changed } : one)))
          }
          remove={() => change(targets.filter((one) => one.key !== target.key))}
        />
      ))}
      {targets.length < 16 && (
        <Group>
          <Button variant="default" size="compact-sm" leftSection={<Icon name="plus" />} onClick={add}>
            {texts.addTarget}
          </Button>
        </Group>
      )}
    </fieldset>
  );
}

interface TargetRowProps {
  number: number;
  target: TargetDraft;
  own: string;
  agents: readonly string[];
  models: readonly string[];
  change: (changed: Partial<TargetDraft>) => void;
  remove: () => void;
}

function TargetRow({ number, target, own, agents, models, change, remove }: TargetRowProps) {
  const daemon = useDaemon();
  const asked = target.agent === "" ? own : target.agent;
  const versions = useQuery({
    queryKey: ["daemon", "agents", asked, "versions"],
    queryFn: () => daemon.listManifestVersions(asked),
  });
  const [failure, setFailure] = useState<unknown>();
  const take = async (from: string) => {
    setFailure(undefined);
    try {
      if (from === "own") change({ prompt: undefined, version: undefined });
      else if (from === "written") {
        const { prompt } = await readManifest(await daemon.getManifest(asked));
        change({ prompt, version: undefined });
      } else {
        const version = Number(from);
        const { manifest } = await daemon.getManifestVersion(asked, version);
        change({ ...(await readManifest(manifest)), version });
      }
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  const label = (text: string) => `${text}, ${texts.targetNumber(number)}`;
  return (
    <fieldset className="ar-eval-target" aria-label={texts.targetNumber(number)}>
      <div className="ar-eval-sides">
        <Select
          label={texts.otherAgent}
          aria-label={label(texts.otherAgent)}
          data={[
            { value: "", label: texts.sameAgent },
            ...agents.filter((name) => name !== own).map((name) => ({ value: name, label: name })),
          ]}
          searchable
          allowDeselect={false}
          value={target.agent}
          onChange={(agent) => change({ agent: agent ?? "", prompt: undefined, version: undefined })}
        />
        <Select
          label={texts.promptFrom}
          aria-label={label(texts.promptFrom)}
          allowDeselect={false}
          data={[
            { value: "own", label: texts.ownPrompt },
            { value: "written", label: texts.writtenPrompt },
            ...(versions.data?.versions ?? []).map((one) => ({
              value: String(one.number),
              label: texts.promptOfVersion(one.number),
            })),
          ]}
          value={
            target.version === undefined
              ? target.prompt === undefined
                ? "own"
                : "written"
              : `${target.version}`
          }
          onChange={(from) => void take(from ?? "own")}
        />
        <Autocomplete
          label={texts.model}
          aria-label={label(texts.model)}
          placeholder={texts.ownModel}
          data={[...models]}
          value={target.model}
          error={target.model === "" || /^[^/]+\/./.test(target.model) ? undefined : texts.modelHint}
          onChange={(model) => change({ model })}
          limit={30}
        />
        <NumberField
          label={texts.temperature}
          placeholder={texts.ownModel}
          rules={temperatureRules}
          step={0.1}
          value={readNumber(target.temperature, temperatureRules)}
          onChange={(value) => change({ temperature: entryText(value) })}
        />
      </div>
      {target.prompt !== undefined && (
        <Textarea
          label={texts.prompt}
          autosize
          minRows={3}
          maxRows={12}
          value={target.prompt}
          onChange={(event) => change({ prompt: event.currentTarget.value, version: undefined })}
        />
      )}
      {failure !== undefined && <FailureView thrown={failure} />}
      <Group justify="flex-end">
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          aria-label={texts.removeTarget(number)}
          onClick={remove}
        >
          <Icon name="trash" />
        </Button>
      </Group>
    </fieldset>
  );
}

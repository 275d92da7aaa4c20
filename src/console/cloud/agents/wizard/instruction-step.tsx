import { Textarea, TextInput } from "@mantine/core";
import { wizardTexts as texts } from "../../../texts/cloud/agents.ts";
import type { StepProps } from "./step-props.ts";

/** Step 2: the system prompt and the persona. */
export function InstructionStep({ form, change, errorOf }: StepProps) {
  return (
    <>
      <Textarea
        label={texts.prompt}
        description={texts.promptHint}
        autosize
        minRows={6}
        maxRows={18}
        value={form.prompt}
        error={errorOf("step2.system_prompt")}
        onChange={(event) => change({ prompt: event.currentTarget.value })}
      />
      <TextInput
        label={texts.persona}
        description={texts.personaHint}
        maxLength={255}
        autoComplete="off"
        value={form.persona}
        error={errorOf("step2.persona")}
        onChange={(event) => change({ persona: event.currentTarget.value })}
      />
    </>
  );
}

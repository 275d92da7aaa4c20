import { Button, Group, Stack, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { LeaveDialog } from "../../../editor/leave-dialog.tsx";
import { type LeaveGuard, useLeaveGuard } from "../../../editor/use-leave-guard.ts";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { wizardTexts as texts } from "../../../texts/cloud/agents.ts";
import { orgPaths } from "../../cloud-paths.ts";
import type { OrgPageProps } from "../../org-page.tsx";
import { useCloud } from "../../use-cloud.ts";
import { CheckPanel } from "./check-panel.tsx";
import { GuardrailStep } from "./guardrail-step.tsx";
import { InstructionStep } from "./instruction-step.tsx";
import { MemoryStep } from "./memory-step.tsx";
import { ModelStep } from "./model-step.tsx";
import { SaveButtons } from "./save-buttons.tsx";
import { StepList } from "./step-list.tsx";
import { hintBelow, type StepProps } from "./step-props.ts";
import { ToolStep } from "./tool-step.tsx";
import { messageFor, stepOf, useCheck } from "./use-check.ts";
import { hasUnreadable, type StepKey, stepKeys, suggestedName, type WizardForm } from "./wizard-form.ts";

interface WizardProps extends OrgPageProps {
  initial: WizardForm;
  /** True for a stored agent, whose name can't change. */
  isStored: boolean;
  /** True if what is stored is the draft of a deployed agent. */
  isDraft?: boolean;
  /** Stores the form. `pass` leaves the wizard without a question, for a form that is stored later. */
  store: (form: WizardForm, pass: LeaveGuard["pass"]) => Promise<unknown>;
}

/** The five steps beside the manifest that they compile to. */
export function Wizard({ org, initial, isStored, isDraft = false, store }: WizardProps) {
  const cloud = useCloud();
  const catalog = useQuery({
    queryKey: ["cloud", org.slug, "catalog"],
    queryFn: () => cloud.catalog(org.slug),
  });
  const providers = useQuery({
    queryKey: ["cloud", org.slug, "providers"],
    queryFn: () => cloud.providers(org.slug),
  });
  const [form, setForm] = useState(initial);
  const guard = useLeaveGuard(JSON.stringify(form) !== JSON.stringify(initial));
  const [step, setStep] = useState<StepKey>("step1");
  /** Steps that the user has left. */
  const [seen, setSeen] = useState<ReadonlySet<StepKey | "names">>(
    () => new Set(isStored ? ["names", ...stepKeys] : []),
  );
  const check = useCheck(org.slug, form);
  const problems = check.result?.problems ?? [];
  const missing = check.result?.missing ?? [];
  const see = (...places: (StepKey | "names")[]) => setSeen((now) => new Set([...now, ...places]));
  const goTo = (next: StepKey) => {
    see(step, "names");
    setStep(next);
  };
  const change = (changed: Partial<WizardForm>) => {
    setForm((now) => ({ ...now, ...changed }));
  };
  const errorOf = (path: string): string | undefined => {
    const step = stepOf({ path, message: "" });
    if (step === undefined) {
      const isWritten = form[path === "name" ? "name" : "displayName"] !== "";
      return isWritten || seen.has("names") ? messageFor(problems, path) : undefined;
    }
    // A written value's fault is shown at once, a missing value when the user has left the step.
    return messageFor(problems, path) ?? (seen.has(step) ? messageFor(missing, path) : undefined);
  };
  const at = stepKeys.indexOf(step);
  const next = stepKeys[at + 1];
  const previous = stepKeys[at - 1];
  const marks = stepKeys.map((key) => {
    const isOf = (problem: (typeof problems)[number]) => stepOf(problem) === key;
    const isSeen = seen.has(key);
    return { key, isFaulty: problems.some(isOf) || (isSeen && missing.some(isOf)), isSeen };
  });
  return (
    <div className="ar-cl-wizard">
      <div className="ar-stack">
        <div className="ar-cl-pair">
          <TextInput
            label={texts.displayName}
            required
            maxLength={255}
            autoComplete="off"
            value={form.displayName}
            error={errorOf("display_name")}
            onChange={(event) => {
              const displayName = event.currentTarget.value;
              const follows = !isStored && form.name === suggestedName(form.displayName);
              change({ displayName, ...(follows && { name: suggestedName(displayName) }) });
            }}
          />
          <TextInput
            label={texts.name}
            description={isStored ? undefined : texts.nameHint}
            inputWrapperOrder={hintBelow}
            required={!isStored}
            disabled={isStored}
            maxLength={63}
            autoComplete="off"
            value={form.name}
            error={errorOf("name")}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
        </div>
        <StepList current={step} steps={marks} choose={goTo} />
        <section className="ar-panel ar-cl-step" aria-label={texts.step(at + 1, texts.names[step])}>
          <Title order={2} size="h3">
            {texts.step(at + 1, texts.names[step])}
          </Title>
          <Loaded query={catalog} rows={4}>
            {(offered) => (
              <Stack>
                <Step
                  step={step}
                  form={form}
                  change={change}
                  errorOf={errorOf}
                  catalog={offered}
                  keyed={(providers.data?.providers ?? []).map(({ provider }) => provider)}
                  providersPath={orgPaths(org.slug).providers}
                />
              </Stack>
            )}
          </Loaded>
          <Group justify="space-between">
            <Button
              variant="default"
              disabled={previous === undefined}
              onClick={() => previous !== undefined && goTo(previous)}
            >
              {texts.back}
            </Button>
            <Button
              variant="light"
              disabled={next === undefined}
              onClick={() => next !== undefined && goTo(next)}
            >
              {texts.next}
            </Button>
          </Group>
        </section>
        <SaveButtons
          org={org}
          name={form.name}
          isStored={isStored}
          isDraft={isDraft}
          // The server judges again; only what can't be sent at all is held back.
          canSave={!hasUnreadable(form) && problems.length === 0 && !check.isPending}
          canDeploy={missing.length === 0}
          store={() => {
            see("names", ...stepKeys);
            return guard.pass(() => store(form, guard.pass));
          }}
        />
      </div>
      <LeaveDialog guard={guard} />
      <CheckPanel check={check} isUntouched={!isStored && form === initial} />
    </div>
  );
}

function Step({ step, providersPath, ...props }: StepProps & { step: StepKey; providersPath: string }) {
  switch (step) {
    case "step1":
      return <ModelStep {...props} providersPath={providersPath} />;
    case "step2":
      return <InstructionStep {...props} />;
    case "step3":
      return <ToolStep {...props} />;
    case "step4":
      return <MemoryStep {...props} />;
    case "step5":
      return <GuardrailStep {...props} />;
  }
}

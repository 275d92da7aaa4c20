import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import { Icon } from "../../../parts/icon.tsx";
import { wizardTexts as texts } from "../../../texts/cloud/agents.ts";
import type { StepKey } from "./wizard-form.ts";

interface StepMark {
  key: StepKey;
  isFaulty: boolean;
  /** True once the user has left the step. */
  isSeen: boolean;
}

interface StepListProps {
  current: StepKey;
  steps: readonly StepMark[];
  choose: (step: StepKey) => void;
}

/** The steps in a row: numbered, checked, or marked as faulty. */
export function StepList({ current, steps, choose }: StepListProps) {
  return (
    <ol className="ar-cl-steps" aria-label={texts.steps}>
      {steps.map(({ key, isFaulty, isSeen }, at) => (
        <li key={key}>
          <UnstyledButton
            className="ar-cl-step-button"
            aria-current={key === current ? "step" : undefined}
            data-faulty={isFaulty || undefined}
            onClick={() => choose(key)}
          >
            <span className="ar-cl-step-number">
              {isFaulty ? (
                <Icon name="warn" size={13} />
              ) : isSeen && key !== current ? (
                <Icon name="check" size={13} />
              ) : (
                at + 1
              )}
            </span>
            <span className="ar-cl-step-name">{texts.names[key]}</span>
            {isFaulty && <VisuallyHidden>{texts.faulty}</VisuallyHidden>}
          </UnstyledButton>
        </li>
      ))}
    </ol>
  );
}

import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { formatInstant } from "../parts/text/format.ts";
import { runPartTexts as texts } from "../texts/runs.ts";
import { DecisionForm } from "./decision-form.tsx";
import type { ApprovalVerdict } from "./run-state.ts";

interface AwaitedCallProps {
  title: string;
  /** ISO 8601. */
  until: string;
  decide: (verdict: ApprovalVerdict, comment: string) => void;
  /** The call's input, which is the subject of the decision. */
  children: ReactNode;
}

/** A call whose run waits for a person's decision, shown where the run paused. */
export function AwaitedCall({ title, until, decide, children }: AwaitedCallProps) {
  return (
    <fieldset className="ar-prompt" aria-label={title}>
      <Text fw={600} className="ar-break">
        {title}
      </Text>
      {children}
      <DecisionForm decide={decide} />
      <Text size="xs" className="ar-soft">
        {texts.openUntil} {formatInstant(until)}
      </Text>
    </fieldset>
  );
}

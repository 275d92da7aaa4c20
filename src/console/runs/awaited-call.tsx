import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Question } from "../../contracts/daemon/questions/question.ts";
import { formatInstant } from "../parts/text/format.ts";
import { runPartTexts as texts } from "../texts/runs.ts";
import { DecisionForm } from "./decision-form.tsx";
import { QuestionForm } from "./question-form.tsx";
import type { Decide } from "./run-state.ts";

interface AwaitedCallProps {
  title: string;
  /** ISO 8601. */
  until: string;
  decide: Decide;
  /** What the call's server asks; absent: whether to make the call. */
  question?: Question | undefined;
  /** The call's input, which is the subject of the decision. */
  children: ReactNode;
}

/** A call whose run waits for a person's decision, shown where the run paused. */
export function AwaitedCall({ title, until, decide, question, children }: AwaitedCallProps) {
  return (
    <fieldset className="ar-prompt" aria-label={title}>
      <Text fw={600} className="ar-break">
        {title}
      </Text>
      {children}
      {question === undefined ? (
        <DecisionForm decide={decide} />
      ) : (
        <QuestionForm question={question} decide={decide} />
      )}
      <Text size="xs" className="ar-soft">
        {texts.openUntil} {formatInstant(until)}
      </Text>
    </fieldset>
  );
}

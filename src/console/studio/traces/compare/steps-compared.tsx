import { useMemo } from "react";
import type { Trace } from "../../../../contracts/daemon/runs/run.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { formatDuration } from "../../../parts/text/format.ts";
import { compareTexts as texts } from "../../../texts/studio/trace-list.ts";
import { type Step, type StepPair, stepDifferences } from "./step-differences.ts";

/** The steps of two runs side by side, with the first difference marked. */
export function StepsCompared({ a, b }: { a: Trace; b: Trace }) {
  const { pairs, first } = useMemo(() => stepDifferences(a, b), [a, b]);
  const different = first === undefined ? undefined : pairs[first];
  return (
    <Panel title={texts.steps}>
      <p className="ar-flat">
        {first === undefined || different === undefined
          ? texts.sameSteps
          : texts.firstDifference(first, labelOf(different.a), labelOf(different.b))}
      </p>
      <table className="ar-steps">
        <thead>
          <tr>
            <th scope="col">{texts.first}</th>
            <th scope="col">{texts.second}</th>
          </tr>
        </thead>
        <tbody>
          {pairs.map((pair, at) => (
            <Pair key={keyOf(pair)} pair={pair} isFirst={at === first} />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function Pair({ pair: { a, b, isEqual }, isFirst }: { pair: StepPair; isFirst: boolean }) {
  return (
    <tr data-different={!isEqual || undefined} aria-current={isFirst ? "true" : undefined}>
      <StepCell step={a} />
      <StepCell step={b} />
    </tr>
  );
}

function StepCell({ step }: { step: Step | undefined }) {
  if (step === undefined) return <td className="ar-soft">–</td>;
  const { span, depth, title } = step;
  return (
    <td>
      <div className="ar-compared-step" style={{ paddingInlineStart: Math.min(depth, 8) * 12 }}>
        <span className="ar-break">{title}</span>
        {span.status === "ERROR" && <span className="ar-compared-failed">{texts.failed}</span>}
        <span className="ar-soft">{formatDuration(span.duration_ms)}</span>
      </div>
    </td>
  );
}

const keyOf = ({ a, b }: StepPair): string => `${a?.span.span_id ?? ""} ${b?.span.span_id ?? ""}`;

function labelOf(step: Step | undefined): string {
  if (step === undefined) return texts.noStep;
  return step.span.status === "ERROR" ? `${step.title} (${texts.failed})` : step.title;
}

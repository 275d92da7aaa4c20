import { useQuery } from "@tanstack/react-query";
import type { FeedbackGiven } from "../../../../contracts/daemon/runs/feedback.ts";
import { refusalOf } from "../../../../contracts/refusal.ts";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { exchangeOf, RunContent } from "../../../studio/traces/run-content.tsx";
import { SpanExplorer } from "../../../studio/traces/span-explorer.tsx";
import { invocationTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { usePlatform } from "../../use-platform.ts";
import { JudgeRun } from "./judge-run.tsx";

interface InvocationTraceProps {
  tenantId: string;
  agent: string;
  id: string;
  /** The verdict that the run has already. */
  known: FeedbackGiven | undefined;
}

/** Question, answer and steps of a run that has ended. */
export function InvocationTrace({ tenantId, agent, id, known }: InvocationTraceProps) {
  const platform = usePlatform(tenantId);
  const query = useQuery({
    queryKey: ["platform", tenantId, "invocation", agent, id, "trace"],
    queryFn: () =>
      platform.getInvocationTrace(agent, id).catch((thrown: unknown) => {
        if (refusalOf(thrown)?.code === "trace_not_found") return null;
        throw thrown;
      }),
  });
  return (
    <Loaded query={query}>
      {(trace) =>
        trace === null ? (
          <p className="ar-soft ar-flat">{texts.noSteps}</p>
        ) : (
          <>
            <RunContent exchange={exchangeOf(trace, null)} missing={texts.noExchange} />
            <JudgedAnswer
              tenantId={tenantId}
              agent={agent}
              id={id}
              known={known}
              exchange={exchangeOf(trace, null)}
            />
            <SpanExplorer trace={trace} />
          </>
        )
      }
    </Loaded>
  );
}

interface JudgedAnswerProps extends InvocationTraceProps {
  exchange: ReturnType<typeof exchangeOf>;
}

/** The verdict below an answer that is kept. */
function JudgedAnswer({ tenantId, agent, id, known, exchange }: JudgedAnswerProps) {
  if (exchange?.answer === undefined) return null;
  const { question, answer } = exchange;
  return (
    <JudgeRun
      tenantId={tenantId}
      agent={agent}
      invocation={id}
      query={question}
      answer={answer}
      known={known}
    />
  );
}

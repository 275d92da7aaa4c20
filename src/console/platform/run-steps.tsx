import { type QueryKey, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Trace } from "../../contracts/daemon/runs/run.ts";
import { refusalOf } from "../../contracts/refusal.ts";
import { Loaded } from "../parts/states/loaded.tsx";
import { exchangeOf, RunContent } from "../studio/traces/run-content.tsx";
import { SpanExplorer } from "../studio/traces/span-explorer.tsx";
import { invocationTexts as texts } from "../texts/platform/tenant-runs.ts";

interface RunStepsProps {
  queryKey: QueryKey;
  read: () => Promise<Trace>;
  /** Shown below the question and the answer. */
  children?: (exchange: ReturnType<typeof exchangeOf>) => ReactNode;
}

/** Question, answer and steps of a run that has ended. */
export function RunSteps({ queryKey, read, children }: RunStepsProps) {
  const query = useQuery({
    queryKey: [...queryKey, "trace"],
    queryFn: () =>
      read().catch((thrown: unknown) => {
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
            {children?.(exchangeOf(trace, null))}
            <SpanExplorer trace={trace} />
          </>
        )
      }
    </Loaded>
  );
}

import { useQuery } from "@tanstack/react-query";
import { refusalOf } from "../../../../contracts/refusal.ts";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { exchangeOf, RunContent } from "../../../studio/traces/run-content.tsx";
import { SpanExplorer } from "../../../studio/traces/span-explorer.tsx";
import { invocationTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { usePlatform } from "../../use-platform.ts";

/** Question, answer and steps of a run that has ended. */
export function InvocationTrace({ tenantId, agent, id }: { tenantId: string; agent: string; id: string }) {
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
            <SpanExplorer trace={trace} />
          </>
        )
      }
    </Loaded>
  );
}

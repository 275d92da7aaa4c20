import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useDaemon } from "../../api/use-server.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { homeTexts as texts } from "../../texts/studio-home.ts";
import { AgentsGlance } from "./agents-glance.tsx";
import { Attention } from "./attention.tsx";
import { findingsOf } from "./findings.ts";
import { FirstSteps } from "./first-steps.tsx";
import { HomeFigures } from "./home-figures.tsx";
import { LatestRuns } from "./latest-runs.tsx";
import { useLatestRuns } from "./use-latest-runs.ts";

/** An overview of the workspace; each part appears as soon as it is loaded. */
export default function HomePage() {
  const daemon = useDaemon();
  const [since] = useState(beginningOfToday);
  const agents = useQuery({ queryKey: ["daemon", "agents"], queryFn: daemon.listAgents });
  const approvals = useQuery({
    queryKey: ["daemon", "approvals", "pending"],
    queryFn: () => daemon.listApprovals({ status: "pending", limit: 100 }),
  });
  const costs = useQuery({
    queryKey: ["daemon", "costs", "summary", since],
    queryFn: () => daemon.costSummary({ since }),
  });
  const providers = useQuery({ queryKey: ["daemon", "providers"], queryFn: daemon.listProviders });
  const doctor = useQuery({ queryKey: ["daemon", "doctor"], queryFn: daemon.doctor, staleTime: 60_000 });
  const runs = useLatestRuns();
  const findings = findingsOf({
    agents: agents.data?.agents,
    approvals: approvals.data?.approvals,
    providers: providers.data?.providers,
    checks: doctor.data?.checks,
  });
  const watched = [agents, approvals, providers, doctor];
  const isNew = runs.data?.traces.length === 0;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} />
      <div className="ar-agents-stack">
        <HomeFigures
          agents={agents.data?.agents}
          waiting={approvals.data?.approvals.length}
          costs={costs.data}
          since={since}
          providers={providers.data}
        />
        {isNew && <FirstSteps agent={agents.data?.agents.find(({ status }) => status === "ready")?.name} />}
        <div className="ar-home-columns">
          <div className="ar-agents-stack">
            <Attention
              findings={findings}
              isLooking={watched.some(({ isPending }) => isPending)}
              failure={watched.find(({ isLoadingError }) => isLoadingError)?.error}
            />
            {!isNew && <LatestRuns />}
          </div>
          <Loaded query={agents}>
            {(data) => data.agents.length > 0 && <AgentsGlance agents={data.agents} />}
          </Loaded>
        </div>
      </div>
    </>
  );
}

function beginningOfToday(): string {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  return day.toISOString();
}

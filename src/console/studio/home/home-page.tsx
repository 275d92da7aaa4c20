import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { homeTexts as texts } from "../../texts/studio/home.ts";
import { useDaemon } from "../use-daemon.ts";
import { AgentsSummary } from "./agents-summary.tsx";
import { Attention } from "./attention.tsx";
import { findingsOf } from "./findings.ts";
import { FirstSteps } from "./first-steps.tsx";
import { HomeFigures } from "./home-figures.tsx";
import { LatestRuns, useLatestRuns } from "./latest-runs.tsx";

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
  const findings = findingsOf({ approvals: approvals.data?.approvals, checks: doctor.data?.checks });
  const watched = [approvals, doctor];
  const isNew = runs.data?.traces.length === 0;
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} />
      <div className="ar-agents-stack">
        <HomeFigures
          agents={agents.data?.agents}
          waiting={approvals.data?.approvals.length}
          costs={costs.data}
          since={since}
          rehearsing={providers.data?.rehearsing === true}
          models={doctor.data?.checks.find(({ name }) => name === "providers")}
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
            {(data) => data.agents.length > 0 && <AgentsSummary agents={data.agents} />}
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

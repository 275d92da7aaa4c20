import { Anchor, Button, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { CloudAgent } from "../../../../contracts/cloud/agents.ts";
import type { CloudEvalRun } from "../../../../contracts/cloud/evals.ts";
import type { OrgReleaseGate } from "../../../../contracts/cloud/release.ts";
import { BegunRuns } from "../../../hosted-evals/begun-runs.tsx";
import { evalKeys } from "../../../hosted-evals/eval-host.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { formatPercent } from "../../../parts/text/format.ts";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { orgEvalTexts as texts } from "../../../texts/cloud/evals.ts";
import { orgPaths } from "../../cloud-paths.ts";
import { mayManage, type OrgPageProps } from "../../org-page.tsx";
import { useCloud } from "../../use-cloud.ts";
import { GateDialog } from "./gate-dialog.tsx";

interface GateProps extends OrgPageProps {
  agent: CloudAgent;
}

/** The release gate of an agent: its evals, what they say of the agent as it is, and their runs. */
export function GatePanel({ org, agent }: GateProps) {
  const cloud = useCloud();
  const [isChanging, setChanging] = useState(false);
  const query = useQuery({
    queryKey: ["cloud", org.slug, "release", agent.name, agent.updated_at],
    queryFn: () => cloud.releaseGate(org.slug, agent.name),
  });
  const isOpen = query.data?.requires.length === 0;
  return (
    <Panel
      title={texts.gate}
      actions={
        mayManage(org) &&
        query.data !== undefined && (
          <Button size="xs" variant="default" onClick={() => setChanging(true)}>
            {isOpen ? texts.setGate : texts.changeGate}
          </Button>
        )
      }
    >
      <Loaded query={query} rows={2}>
        {(gate) =>
          gate.requires.length === 0 ? (
            <Text className="ar-soft">{mayManage(org) ? texts.noGateManager : texts.noGate}</Text>
          ) : (
            <GateState org={org} agent={agent} gate={gate} />
          )
        }
      </Loaded>
      {isChanging && query.data !== undefined && (
        <GateDialog org={org} agent={agent} gate={query.data} close={() => setChanging(false)} />
      )}
    </Panel>
  );
}

function GateState({ org, agent, gate }: GateProps & { gate: OrgReleaseGate }) {
  const evals = useCloud().evals(org.slug);
  const queries = useQueryClient();
  const [begun, setBegun] = useState<readonly CloudEvalRun[]>([]);
  const missing = gate.requires.filter(({ reasons }) => reasons.length > 0);
  const asking = useMutation({
    mutationFn: async () => {
      const runs: CloudEvalRun[] = [];
      for (const { eval: name } of missing) {
        runs.push(await evals.startEvalRun(name, { agent: agent.name }));
        setBegun([...runs]);
      }
    },
  });
  return (
    <Stack gap="xs" align="flex-start">
      <Text fw={600}>{gate.accepted ? texts.accepted : texts.refused}</Text>
      {gate.requires.map((required) => (
        <RequirementView key={required.eval} required={required} pathOf={orgPaths(org.slug).evalRun} />
      ))}
      <BegunRuns
        runs={begun}
        keys={evalKeys("cloud", org.slug)}
        read={evals.getEvalRun}
        pathOf={orgPaths(org.slug).evalRun}
        ended={() => void queries.invalidateQueries({ queryKey: ["cloud", org.slug, "release", agent.name] })}
      />
      {asking.error !== null && <FailureView thrown={asking.error} />}
      {missing.length > 0 && (
        <Button size="xs" loading={asking.isPending} onClick={() => asking.mutate()}>
          {texts.runEvals}
        </Button>
      )}
    </Stack>
  );
}

interface RequirementProps {
  required: OrgReleaseGate["requires"][number];
  pathOf: (run: string) => string;
}

function RequirementView({ required, pathOf }: RequirementProps) {
  const { eval: name, min_score, no_regressions, reasons, run } = required;
  const isMet = reasons.length === 0;
  const rules = [texts.least(formatPercent(min_score)), ...(no_regressions ? [texts.noRegressions] : [])];
  return (
    <div>
      <StatusBadge tone={isMet ? "good" : "warn"}>{isMet ? texts.met : texts.unmet}</StatusBadge>{" "}
      <span className="ar-mono ar-break">{name}</span> <span className="ar-soft">{rules.join(", ")}</span>{" "}
      {run !== null && (
        <Anchor component={Link} underline="always" href={pathOf(run)} aria-label={texts.showRunOf(name)}>
          {texts.showRun}
        </Anchor>
      )}
      {reasons.map((reason) => (
        <Text key={reason} size="sm" className="ar-break">
          {/* The link above opens the run that the reason names. */}
          {run === undefined ? reason : reason.replace(` (run ${run})`, "").replace(` in run ${run}`, "")}
        </Text>
      ))}
    </div>
  );
}

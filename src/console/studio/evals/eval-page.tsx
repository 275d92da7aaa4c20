import { Button, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "wouter";
import type { EvalDetail } from "../../../contracts/daemon/evals/evals.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { ProblemList } from "../../parts/states/problem-list.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { studioTexts } from "../../texts/studio/navigation.ts";
import { useDaemon } from "../use-daemon.ts";
import { CaseList } from "./case-list.tsx";
import { evalKeys } from "./eval-keys.ts";
import { RunDialog } from "./run-dialog.tsx";
import { RunList } from "./run-list.tsx";

const up = { href: "/studio/evals", label: studioTexts.evals };

export default function EvalPage() {
  const { name = "" } = useParams();
  const daemon = useDaemon();
  const query = useQuery({ queryKey: evalKeys.one(name), queryFn: () => daemon.getEval(name) });
  return (
    <>
      {query.data === undefined && <PageHeader title={texts.title} up={up} />}
      <Loaded query={query}>{(detail) => <EvalView detail={detail} />}</Loaded>
    </>
  );
}

function EvalView({ detail }: { detail: EvalDetail }) {
  const { name, agent, file, description, faults } = detail;
  const [isRunning, run] = useState(false);
  const lead = [agent === undefined ? "" : `${texts.agent} ${agent}`, texts.file(file), description ?? ""];
  return (
    <>
      <PageHeader title={name} up={up} lead={lead.filter((part) => part !== "").join(" · ")}>
        <Button disabled={faults.length > 0} onClick={() => run(true)}>
          {texts.run}
        </Button>
      </PageHeader>
      {faults.length > 0 && (
        <Panel title={texts.faults}>
          <ProblemList problems={faults} />
        </Panel>
      )}
      <Stack gap="md">
        <RunList name={name} />
        <CaseList detail={detail} />
      </Stack>
      {isRunning && <RunDialog detail={detail} close={() => run(false)} />}
    </>
  );
}

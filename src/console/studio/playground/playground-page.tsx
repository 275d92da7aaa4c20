import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { playTexts as texts } from "../../texts/studio/runs.ts";
import { useDaemon } from "../use-daemon.ts";
import { Play } from "./play.tsx";

export default function PlaygroundPage() {
  const daemon = useDaemon();
  const agents = useQuery({ queryKey: ["daemon", "agents"], queryFn: daemon.listAgents });
  // The page works without it: models can be typed.
  const providers = useQuery({ queryKey: ["daemon", "providers"], queryFn: daemon.listProviders });
  const models = (providers.data?.providers ?? []).flatMap(({ name, models: known }) =>
    known.map(({ model }) => `${name}/${model}`),
  );
  const isPlayable = agents.data !== undefined && agents.data.agents.length > 0;
  return (
    <>
      {!isPlayable && <PageHeader title={texts.title} lead={texts.lead} />}
      <Loaded query={agents}>
        {(list) =>
          list.agents.length === 0 ? (
            <EmptyState text={texts.noAgents}>
              <Button component={Link} href="/studio/agents/new">
                {texts.makeAgent}
              </Button>
              <Button variant="default" component={Link} href="/studio/gallery">
                {texts.gallery}
              </Button>
            </EmptyState>
          ) : (
            <Play agents={list.agents} models={models} />
          )
        }
      </Loaded>
    </>
  );
}

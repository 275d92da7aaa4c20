import { Button, SegmentedControl, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { recallTexts, memoryTexts as texts } from "../../texts/studio/resources.ts";
import { useDaemon } from "../use-daemon.ts";
import { ForgetMenu } from "./forget-menu.tsx";
import { MemoryExport } from "./memory-export.tsx";
import { memoryPaths } from "./memory-paths.ts";
import { EpisodesView } from "./recall/episodes-view.tsx";
import { TextsView } from "./recall/texts-view.tsx";
import { SessionList } from "./sessions/session-list.tsx";

/** One agent's memory by kind. */
export function AgentMemoryView({ agent }: { agent: string }) {
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "agent", agent], queryFn: () => daemon.getAgent(agent) });
  const [view, setView] = useUrlState("view");
  return (
    <>
      <PageHeader title={texts.of(agent)} up={{ href: memoryPaths.agents, label: texts.all }}>
        <MemoryExport agent={agent} />
        <ForgetMenu agent={agent} memory={query.data?.memory} />
      </PageHeader>
      <Loaded query={query}>
        {({ memory }) => {
          const views: Readonly<Record<string, ReactNode>> = {
            "": <SessionList agent={agent} />,
            texts:
              memory.semantic === undefined ? (
                <NoSuchMemory agent={agent} kind="semantic" />
              ) : (
                <TextsView agent={agent} />
              ),
            episodes:
              memory.episodic === undefined ? (
                <NoSuchMemory agent={agent} kind="episodic" />
              ) : (
                <EpisodesView agent={agent} />
              ),
          };
          const shown = Object.hasOwn(views, view) ? view : "";
          return (
            <Stack gap="md">
              <SegmentedControl
                className="ar-views"
                aria-label={texts.views}
                value={shown}
                data={[
                  { value: "", label: texts.conversations },
                  { value: "texts", label: texts.texts },
                  { value: "episodes", label: texts.episodes },
                ]}
                onChange={setView}
              />
              {views[shown]}
            </Stack>
          );
        }}
      </Loaded>
    </>
  );
}

/** Placeholder for a kind of memory that the agent's manifest does not enable, with instructions. */
function NoSuchMemory({ agent, kind }: { agent: string; kind: "semantic" | "episodic" }) {
  const isSemantic = kind === "semantic";
  return (
    <EmptyState
      title={recallTexts.notThere((isSemantic ? texts.texts : texts.episodes).toLowerCase())}
      text={isSemantic ? recallTexts.semanticHow : recallTexts.episodicHow}
    >
      <Button component={Link} variant="default" href={`/studio/agents/${encodeURIComponent(agent)}/edit`}>
        {recallTexts.edit}
      </Button>
    </EmptyState>
  );
}

import { SegmentedControl, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useDaemon } from "../../api/use-server.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { useUrlState } from "../../parts/use-url-state.ts";
import { memoryTexts as texts } from "../../texts/studio-parts.ts";
import { EpisodesView } from "./episodes-view.tsx";
import { ForgetMenu } from "./forget-menu.tsx";
import { MemoryExport } from "./memory-export.tsx";
import { memoryPaths } from "./memory-paths.ts";
import { NoSuchMemory } from "./no-such-memory.tsx";
import { SessionList } from "./session-list.tsx";
import { TextsView } from "./texts-view.tsx";

/** One agent's memory by kind. */
export function AgentMemoryView({ agent }: { agent: string }) {
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "agent", agent], queryFn: () => daemon.getAgent(agent) });
  const [view, setView] = useUrlState("view");
  return (
    <>
      <PageHead title={texts.of(agent)} up={{ href: memoryPaths.agents, label: texts.all }}>
        <MemoryExport agent={agent} />
        <ForgetMenu agent={agent} memory={query.data?.memory} />
      </PageHead>
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

import { Button, Stack } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { EpisodeRecord } from "../../../../contracts/daemon/memory/episodes.ts";
import { useUrlFields } from "../../../parts/address/use-url-state.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { notify } from "../../../parts/notices.tsx";
import { cursorPages } from "../../../parts/tables/list-pages.ts";
import { formatInstant, formatNumber } from "../../../parts/text/format.ts";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { recallTexts as texts } from "../../../texts/studio/resources.ts";
import { useDaemon } from "../../use-daemon.ts";
import { memoryKeys } from "../memory-paths.ts";
import { RecallFilter } from "./recall-filter.tsx";
import { RecallItem } from "./recall-item.tsx";
import { RecallList } from "./recall-list.tsx";
import { RecordEpisodeDialog } from "./record-episode-dialog.tsx";

const pageEpisodes = 50;

/** Episodes of an agent, newest first. */
export function EpisodesView({ agent }: { agent: string }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [filter, setFilter] = useUrlFields(["type", "session", "user"]);
  const { type, session, user } = filter;
  const [isRecording, setRecording] = useState(false);
  const [forgotten, forget] = useState<EpisodeRecord>();
  const wanted = {
    ...(type === "" ? {} : { type }),
    ...(session === "" ? {} : { session_id: session }),
    ...(user === "" ? {} : { user }),
  };
  const list = useInfiniteQuery(
    cursorPages(
      [...memoryKeys.episodes(agent), type, session, user],
      (page) => daemon.listEpisodes(agent, { ...wanted, ...page }),
      pageEpisodes,
    ),
  );
  const changed = () => queries.invalidateQueries({ queryKey: memoryKeys.episodes(agent) });
  const found = list.data?.pages.flatMap((page) => page.episodes);
  const isNarrowed = type !== "" || session !== "" || user !== "";
  return (
    <Stack gap="md">
      <RecallFilter
        fields={[
          { name: "type", label: texts.byType },
          { name: "session", label: texts.bySession },
          { name: "user", label: texts.byUser },
        ]}
        values={filter}
        set={setFilter}
      />
      <Panel
        title={texts.episodes}
        actions={
          <Button size="xs" variant="default" onClick={() => setRecording(true)}>
            {texts.record}
          </Button>
        }
      >
        <RecallList list={list} count={found?.length} empty={isNarrowed ? texts.noMatch : texts.noEpisodes}>
          {found?.map((episode) => (
            <EpisodeView key={episode.id} agent={agent} episode={episode} forget={() => forget(episode)} />
          ))}
        </RecallList>
      </Panel>
      {isRecording && (
        <RecordEpisodeDialog agent={agent} recorded={changed} close={() => setRecording(false)} />
      )}
      {forgotten !== undefined && (
        <Confirm
          opened
          title={texts.forgetEpisode}
          text={texts.forgetNote}
          action={texts.deleteEpisode}
          onClose={() => forget(undefined)}
          onConfirm={async () => {
            await daemon.forgetEpisodes(agent, { id: forgotten.id });
            await changed();
            notify(texts.forgotten);
          }}
        />
      )}
    </Stack>
  );
}

interface EpisodeViewProps {
  agent: string;
  episode: EpisodeRecord;
  forget: () => void;
}

function EpisodeView({ agent, episode, forget }: EpisodeViewProps) {
  const { event_type, outcome, summary, timestamp, importance, session_id, user } = episode;
  const facts = [
    ...(user === undefined ? [] : [`${texts.facts.user}: ${user}`]),
    `${texts.facts.importance}: ${formatNumber(importance)}`,
    formatInstant(timestamp),
  ];
  return (
    <RecallItem
      agent={agent}
      text={summary}
      session={session_id}
      facts={facts}
      forget={forget}
      head={
        <>
          <strong className="ar-break">{event_type}</strong>
          {outcome !== "" && <StatusBadge tone={toneOf(outcome)}>{outcome}</StatusBadge>}
        </>
      }
    />
  );
}

const toneOf = (outcome: string) => {
  if (outcome === "ok") return "good" as const;
  return ["error", "blocked", "timeout"].includes(outcome) ? ("bad" as const) : ("plain" as const);
};

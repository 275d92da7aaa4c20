import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { saveFile } from "../../api/save-file.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { formatInstant } from "../../parts/text/format.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { studioTexts } from "../../texts/studio/navigation.ts";
import { recordingTexts as texts } from "../../texts/studio/runs.ts";
import { useDaemon } from "../use-daemon.ts";
import { statusTones } from "./outcome.ts";
import { RecordingView } from "./recording-view.tsx";

const up = { href: "/studio/recordings", label: studioTexts.recordings };

export default function RecordingPage() {
  const { id = "" } = useParams();
  const daemon = useDaemon();
  const query = useQuery({
    queryKey: ["daemon", "cassettes", "one", id],
    queryFn: () => daemon.getCassette(id),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      {query.data === undefined && <PageHeader title={texts.title} up={up} />}
      <Loaded query={query}>
        {(cassette) => (
          <>
            <Head id={id} cassette={cassette} />
            <RecordingView id={id} cassette={cassette} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Head({ id, cassette: { summary, argosy } }: { id: string; cassette: Cassette }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [isAsking, ask] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const download = async () => {
    setFailure(undefined);
    try {
      saveFile(`${id}.cassette.json`, "application/json", await daemon.getCassetteText(id));
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  return (
    <>
      <PageHeader
        title={texts.recordingTitle(summary.agent)}
        up={up}
        lead={`${formatInstant(summary.recorded_at)} · ${texts.version(argosy)}`}
        mark={<StatusBadge tone={statusTones[summary.status]}>{texts.statuses[summary.status]}</StatusBadge>}
      >
        <Button variant="default" component={Link} href={`/studio/traces/${encodeURIComponent(summary.id)}`}>
          {texts.trace}
        </Button>
        <Button variant="default" onClick={() => void download()}>
          {texts.download}
        </Button>
        <Button variant="default" className="ar-danger" onClick={() => ask(true)}>
          {texts.remove}
        </Button>
      </PageHeader>
      {failure !== undefined && <FailureView thrown={failure} />}
      <Confirm
        title={texts.removeTitle}
        text={texts.removeText}
        action={texts.removeAction}
        opened={isAsking}
        onClose={() => ask(false)}
        onConfirm={async () => {
          await daemon.deleteCassette(id);
          notify(texts.removed);
          go("/studio/recordings");
          await queries.invalidateQueries({ queryKey: ["daemon", "cassettes", "list"] });
          queries.removeQueries({ queryKey: ["daemon", "cassettes", "one", id] });
        }}
      />
    </>
  );
}

import { Button, Progress } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { JobStatus, RagJob } from "../../../contracts/daemon/rag/rag-jobs.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { uploadTexts } from "../../texts/documents.ts";
import { jobTexts as texts } from "../../texts/studio/knowledge.ts";
import { useDaemon } from "../use-daemon.ts";
import { knowledgeKeys } from "./knowledge-paths.ts";

const tones: Readonly<Record<JobStatus, Tone>> = {
  queued: "plain",
  running: "accent",
  completed: "good",
  failed: "bad",
  cancelled: "plain",
  interrupted: "warn",
};

const shownJobs = 8;
const workingMs = 1500;

const isUnderWay = ({ status }: RagJob): boolean => status === "queued" || status === "running";

/** The latest jobs, of one collection or of all; renders nothing if there are none. */
export function JobList({ collection }: { collection?: string }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: knowledgeKeys.jobs,
    queryFn: () => daemon.listRagJobs(),
    refetchInterval: ({ state }) => (state.data?.jobs.some(isUnderWay) ? workingMs : false),
  });
  const jobs = query.data?.jobs.filter((job) => collection === undefined || job.collection === collection);
  const active = jobs?.filter(isUnderWay).length ?? 0;
  const before = useRef(0);
  // When a job ends, its collection has changed.
  useEffect(() => {
    if (active < before.current) void queries.invalidateQueries({ queryKey: knowledgeKeys.collections });
    before.current = active;
  }, [active, queries]);
  if (jobs === undefined || jobs.length === 0) return null;
  return (
    <Panel title={texts.title}>
      <ul className="ar-jobs">
        {jobs.slice(0, shownJobs).map((job) => (
          <JobView key={job.job_id} job={job} />
        ))}
      </ul>
    </Panel>
  );
}

function JobView({ job }: { job: RagJob }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => daemon.endRagJob(job.job_id),
    onSettled: () => queries.invalidateQueries({ queryKey: knowledgeKeys.jobs }),
  });
  const {
    kind,
    collection,
    status,
    documents_done,
    documents_total,
    chunks,
    failed,
    error,
    created_at,
    reading,
  } = job;
  const progress = texts.progress(formatNumber(documents_done), formatNumber(documents_total));
  return (
    <li className="ar-job">
      <div className="ar-job-head">
        <StatusBadge tone={tones[status]}>{texts.status[status]}</StatusBadge>
        <span>
          {texts.kinds[kind]}: <strong className="ar-break">{collection}</strong>
        </span>
        <span className="ar-soft">
          {progress} · {reading !== undefined && `${uploadTexts.reading(reading)} · `}
          {texts.chunks(chunks, formatNumber(chunks))} · <Instant iso={created_at} />
        </span>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          loading={end.isPending}
          onClick={() => end.mutate()}
        >
          {isUnderWay(job) ? texts.cancel : texts.forget}
        </Button>
      </div>
      {isUnderWay(job) && documents_total > 0 && (
        <Progress
          value={(documents_done / documents_total) * 100}
          size="sm"
          mt={6}
          aria-label={`${texts.kinds[kind]} ${collection}: ${progress}`}
        />
      )}
      {error !== undefined && status !== "cancelled" && (
        <div className="ar-break ar-job-fault">{error.message}</div>
      )}
      {failed.length > 0 && (
        <details>
          <summary>{texts.failed(failed.length)}</summary>
          {failed.map(({ index, id, message }) => (
            <div key={index} className="ar-break">
              <span className="ar-mono">{id ?? index}</span>: {message}
            </div>
          ))}
        </details>
      )}
      {end.isError && <FailureView thrown={end.error} />}
    </li>
  );
}

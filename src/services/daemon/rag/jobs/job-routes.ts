import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { RagJob, RagJobEnded, RagJobList } from "../../../../contracts/daemon/rag/rag-jobs.ts";
import { pageLimit } from "../../../../http/paging.ts";
import { jsonRoutes } from "../../../../http/route-plugins.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import type { DaemonRag } from "../daemon-rag.ts";
import type { CurrentJob } from "./rag-jobs.ts";

const tags = ["rag"];

const JobPath = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });

/** Routes for jobs, which continue after their request was answered. */
export const ragJobRoutes = ({ rag: { jobs } }: { rag: DaemonRag }) =>
  new Elysia({ prefix: "/v1/rag/jobs" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ query }) => ({ jobs: (await jobs.list(operatorTenant, query.limit)).map(presentJob) }),
      {
        query: Type.Object({ limit: pageLimit({ default: 50, max: 200 }) }),
        response: RagJobList,
        detail: { tags, operationId: "listRagJobs", summary: "Lists ingest and reindex jobs, newest first" },
      },
    )
    .get(
      "/:id",
      async ({ params }) => {
        const job = await jobs.find(operatorTenant, params.id);
        if (job === undefined) throw jobNotFound(params.id);
        return presentJob(job);
      },
      {
        params: JobPath,
        response: RagJob,
        detail: { tags, operationId: "getRagJob", summary: "Returns a job with its progress" },
      },
    )
    .delete(
      "/:id",
      async ({ params }) => {
        const status = await jobs.end(operatorTenant, params.id);
        if (status === undefined) throw jobNotFound(params.id);
        return { job_id: params.id, status };
      },
      {
        params: JobPath,
        response: RagJobEnded,
        detail: {
          tags,
          operationId: "endRagJob",
          summary: "Cancels a running job, or deletes a finished one",
          description: "Documents that the job has already stored are kept.",
        },
      },
    );

function presentJob(job: CurrentJob): RagJob {
  const { errorCode, errorMessage, endedAt } = job;
  return {
    job_id: job.id,
    kind: job.kind,
    collection: job.collection,
    status: job.status,
    documents_done: job.documentsDone,
    documents_total: job.documentsTotal,
    chunks: job.chunks,
    ...(job.reading !== undefined && { reading: job.reading }),
    failed: job.failed,
    ...(job.losses !== null && job.losses.length > 0 && { losses: job.losses }),
    ...(errorCode !== null && { error: { error: errorCode, message: errorMessage ?? "" } }),
    created_at: job.createdAt.toISOString(),
    ...(endedAt !== null && { ended_at: endedAt.toISOString() }),
  };
}

function jobNotFound(id: string): AppError {
  return new AppError("not_found", "job_not_found", `There is no job ${JSON.stringify(id)}.`);
}

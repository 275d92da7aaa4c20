import { AppError, toAppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import type { AdmissionGate } from "../../../../kit/concurrency/admission-gate.ts";
import type { NewId } from "../../../../kit/id.ts";
import type { Logger } from "../../../../kit/log.ts";
import type { DocumentLoss, PageProgress } from "../../../../retrieval/files/document-file.ts";
import type { Storage } from "../../../../storage/storage.ts";
import type { RagTables } from "../registry/schema.ts";
import { holdMs } from "../registry/sql-collection-registry.ts";
import {
  deleteJob,
  findJob,
  holdJobs,
  insertJob,
  interruptAbandoned,
  type JobEnd,
  type JobProgress,
  type JobRecord,
  listJobs,
  pruneJobs,
  updateJob,
} from "./job-store.ts";

/** Callbacks through which a job's work reports its progress. */
export interface JobReport {
  /** A document is done, with its new chunks and what was lost. */
  taken(chunks: number, document?: { id: string; losses: readonly DocumentLoss[] }): void;
  /** This many more chunks were made for documents that are not done. */
  made(chunks: number): void;
  /** All documents are done. */
  finished(): void;
  refused(index: number, id: string, error: AppError): void;
  /** A page of the current document is being recognized. */
  reading(at: PageProgress): void;
}

export interface JobPorts {
  storage: Storage<RagTables>;
  owner: string;
  /** Limits concurrent ingests, in jobs and in requests. */
  gate: AdmissionGate;
  clock: Clock;
  newId: NewId;
  log: Logger;
}

/** A job as its process knows it. */
export interface CurrentJob extends JobRecord {
  /** The page that is being recognized; only the process that runs the job knows it. */
  reading?: PageProgress;
}

/** Description of a job. */
export type JobOrder = Pick<JobRecord, "kind" | "collection" | "documentsTotal">;

type JobWork = (report: JobReport, signal: AbortSignal) => Promise<void>;

interface OpenJob extends JobProgress {
  tenant: string;
  documentsTotal: number;
  status: "queued" | "running";
  controller: AbortController;
  reading?: PageProgress | undefined;
  ended: Promise<void>;
}

/** Maximum number of queued and running jobs together; their documents are in memory. */
const openMax = 16;

/** Maximum number of failures recorded. */
const failuresMax = 100;

/** Interval for storing progress. */
const writeEveryMs = 1000;

const keptMs = 7 * 24 * 3600 * 1000;

/** Work that continues after its request was answered. A job whose process ends is `interrupted`; repeating its request continues it. */
export class RagJobs {
  readonly #ports: JobPorts;
  readonly #open = new Map<string, OpenJob>();

  constructor(ports: JobPorts) {
    this.#ports = ports;
  }

  /**
   * Starts a job and returns its id at once. Throws `too_busy` if too many jobs are open. `ended` is called when the job is over, even if
   * its work never began.
   */
  async start(tenant: string, order: JobOrder, work: JobWork, ended?: () => void): Promise<string> {
    if (this.#open.size >= openMax) throw tooBusy();
    const { storage, owner, clock, newId } = this.#ports;
    const id = newId();
    const begun = Promise.withResolvers<void>();
    const job: OpenJob = {
      tenant,
      documentsTotal: order.documentsTotal,
      status: "queued",
      controller: new AbortController(),
      documentsDone: 0,
      chunks: 0,
      failed: [],
      losses: null,
      ended: begun.promise,
    };
    // Registered before the first await, so the limit can't be exceeded.
    this.#open.set(id, job);
    try {
      await insertJob(storage, tenant, { id, ...order, createdAt: clock.now() }, { owner, holdMs });
    } catch (thrown) {
      this.#open.delete(id);
      throw thrown;
    }
    void this.#run(id, job, work).then(ended).then(begun.resolve);
    return id;
  }

  /** Returns the current state of a job; undefined if there is none. */
  async find(tenant: string, id: string): Promise<CurrentJob | undefined> {
    const job = await findJob(this.#ports.storage, tenant, id);
    return job && this.#current(job);
  }

  /** Jobs, newest first. */
  async list(tenant: string, limit: number): Promise<CurrentJob[]> {
    const jobs = await listJobs(this.#ports.storage, tenant, limit);
    return jobs.map((job) => this.#current(job));
  }

  /** Cancels a job, or deletes one that has ended. Returns undefined if there is none. */
  async end(tenant: string, id: string): Promise<"cancelled" | "deleted" | undefined> {
    const job = this.#open.get(id);
    const found = await findJob(this.#ports.storage, tenant, id);
    if (job?.tenant === tenant) {
      const isOver = found !== undefined && found.endedAt !== null;
      if (!isOver) job.controller.abort(jobCancelled());
      await job.ended;
      if (!isOver) return "cancelled";
    }
    if (found === undefined) return undefined;
    if (found.endedAt === null) throw elsewhere(id);
    await deleteJob(this.#ports.storage, tenant, id);
    return "deleted";
  }

  /** Marks jobs of dead processes as interrupted and deletes old records. */
  async tidy(): Promise<void> {
    const { storage, owner, clock } = this.#ports;
    const now = clock.now();
    await interruptAbandoned(storage, { owner, own: [...this.#open.keys()], now });
    await pruneJobs(storage, new Date(now.getTime() - keptMs));
  }

  /** Renews the lease on the open jobs if other processes share the database. */
  async keepAlive(): Promise<void> {
    const { storage, owner } = this.#ports;
    if (this.#open.size > 0 && storage.dialect === "postgres") await holdJobs(storage, { owner, holdMs });
  }

  /** Ends open jobs as interrupted. */
  async close(): Promise<void> {
    const open = [...this.#open.values()];
    for (const { controller } of open) controller.abort(jobInterrupted());
    await Promise.all(open.map(({ ended }) => ended));
  }

  #current(job: JobRecord): CurrentJob {
    const open = this.#open.get(job.id);
    // A job whose end is stored stays open until the storage has confirmed it.
    if (open === undefined || job.endedAt !== null) return job;
    const { status, documentsDone, chunks, failed, losses, reading } = open;
    const current = { ...job, status, documentsDone, chunks, failed: [...failed], losses };
    return reading === undefined ? current : { ...current, reading };
  }

  async #run(id: string, job: OpenJob, work: JobWork): Promise<void> {
    const { gate, clock, log, storage } = this.#ports;
    const { signal } = job.controller;
    let leave: (() => void) | undefined;
    let end: Omit<JobEnd, keyof JobProgress>;
    try {
      leave = await gate.enter(signal);
      job.status = "running";
      await this.#write(id, job);
      await work(this.#reportOf(id, job), signal);
      const [failure] = job.documentsDone === 0 ? job.failed : [];
      end = {
        // If no document succeeded, the first failure is the job's error.
        status: failure === undefined ? "completed" : "failed",
        errorCode: failure?.error ?? null,
        errorMessage: failure?.message ?? null,
        endedAt: clock.now(),
      };
    } catch (thrown) {
      const { code, message, kind } = toAppError(thrown);
      if (kind === "internal") log.error("rag.job_failed", { job: id, err: thrown });
      const status =
        code === "job_cancelled" ? "cancelled" : code === "job_interrupted" ? "interrupted" : "failed";
      end = { status, errorCode: code, errorMessage: message, endedAt: clock.now() };
    } finally {
      leave?.();
    }
    const { documentsDone, chunks, failed, losses } = job;
    // If the end can't be stored now, the job is marked as interrupted later.
    await updateJob(storage, job.tenant, id, { ...end, documentsDone, chunks, failed, losses }).catch(
      (thrown) => log.warn("rag.job_unwritten", { job: id, err: thrown }),
    );
    this.#open.delete(id);
    log.info("rag.job_ended", { job: id, status: end.status, documents: documentsDone, chunks });
  }

  #reportOf(id: string, job: OpenJob): JobReport {
    const { clock } = this.#ports;
    let writtenMs = clock.monotonicMs();
    const progressed = () => {
      if (clock.monotonicMs() - writtenMs < writeEveryMs) return;
      writtenMs = clock.monotonicMs();
      void this.#write(id, job);
    };
    return {
      finished() {
        job.documentsDone = job.documentsTotal;
      },
      made(chunks) {
        job.chunks += chunks;
        progressed();
      },
      reading(at) {
        job.reading = at;
      },
      taken(chunks, document) {
        job.reading = undefined;
        job.documentsDone++;
        job.chunks += chunks;
        for (const loss of document?.losses ?? [])
          if ((job.losses?.length ?? 0) < failuresMax)
            job.losses = [...(job.losses ?? []), { id: document?.id ?? "", ...loss }];
        progressed();
      },
      refused(index, documentId, { code, message }) {
        if (job.failed.length < failuresMax) job.failed.push({ index, id: documentId, error: code, message });
        progressed();
      },
    };
  }

  async #write(id: string, { tenant, documentsDone, chunks, failed, losses }: OpenJob): Promise<void> {
    const { storage, log } = this.#ports;
    const progress = { status: "running" as const, documentsDone, chunks, failed: [...failed], losses };
    await updateJob(storage, tenant, id, progress).catch((thrown) =>
      log.warn("rag.job_unwritten", { job: id, err: thrown }),
    );
  }
}

const jobCancelled = () => new AppError("conflict", "job_cancelled", "The job was cancelled.");

const jobInterrupted = () =>
  new AppError("unavailable", "job_interrupted", "Argosy stopped before the job had ended.");

function elsewhere(id: string): AppError {
  return new AppError("conflict", "job_elsewhere", `Job ${id} is running in another process.`, {
    details: { hint: "Cancel it there, or try again when it has ended." },
  });
}

function tooBusy(): AppError {
  return new AppError("unavailable", "too_busy", `${openMax} jobs are waiting or running. Try again later.`, {
    details: { retryAfterSeconds: 5 },
  });
}

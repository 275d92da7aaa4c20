import type { AdmissionGate } from "../../../kit/admission-gate.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Storage } from "../../../storage/storage.ts";
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
import type { RagTables } from "./schema.ts";
import { holdMs } from "./sql-collection-registry.ts";

/** What a job's work tells of itself. */
export interface JobReport {
  /** A document is done, with so many new chunks. */
  taken(chunks: number): void;
  /** So many more chunks, of documents that are not done. */
  made(chunks: number): void;
  /** All documents are done. */
  finished(): void;
  refused(index: number, id: string, error: AppError): void;
}

export interface JobPorts {
  storage: Storage<RagTables>;
  owner: string;
  /** Bounds what is in work at once, whether as a job or not. */
  gate: AdmissionGate;
  clock: Clock;
  newId: NewId;
  log: Logger;
}

/** What a job is about. */
export type JobOrder = Pick<JobRecord, "kind" | "collection" | "documentsTotal">;

type JobWork = (report: JobReport, signal: AbortSignal) => Promise<void>;

interface OpenJob extends JobProgress {
  tenant: string;
  documentsTotal: number;
  status: "queued" | "running";
  controller: AbortController;
  ended: Promise<void>;
}

/** What waits and what runs, together: the documents of each are in memory. */
const openMax = 16;

/** Failures are shown up to here, and counted no further. */
const failuresMax = 100;

/** How often progress is written down. */
const writeEveryMs = 1000;

const keptMs = 7 * 24 * 3600 * 1000;

/** Work that goes on after its request was answered. A job whose process ends is `interrupted`: its request again goes on from there. */
export class RagJobs {
  readonly #ports: JobPorts;
  readonly #open = new Map<string, OpenJob>();

  constructor(ports: JobPorts) {
    this.#ports = ports;
  }

  /**
   * Begins a job and answers its id at once; `too_busy` when as many are open as may be. `ended` is called once it is over,
   * also when its work never began.
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
      ended: begun.promise,
    };
    // Before the first wait, so that no more are let in than may be.
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

  /** The job as it is now; undefined when there is none. */
  async find(tenant: string, id: string): Promise<JobRecord | undefined> {
    const job = await findJob(this.#ports.storage, tenant, id);
    return job && this.#current(job);
  }

  /** Newest first. */
  async list(tenant: string, limit: number): Promise<JobRecord[]> {
    const jobs = await listJobs(this.#ports.storage, tenant, limit);
    return jobs.map((job) => this.#current(job));
  }

  /** Cancels a job, or forgets one that has ended; undefined when there is none. */
  async end(tenant: string, id: string): Promise<"cancelled" | "deleted" | undefined> {
    const job = this.#open.get(id);
    if (job?.tenant === tenant) {
      job.controller.abort(jobCancelled());
      await job.ended;
      return "cancelled";
    }
    const found = await findJob(this.#ports.storage, tenant, id);
    if (found === undefined) return undefined;
    if (found.endedAt === null) throw elsewhere(id);
    await deleteJob(this.#ports.storage, tenant, id);
    return "deleted";
  }

  /** Looks after the records: jobs of dead processes, and those nobody asks for any more. */
  async tidy(): Promise<void> {
    const { storage, owner, clock } = this.#ports;
    const now = clock.now();
    await interruptAbandoned(storage, { owner, own: [...this.#open.keys()], now });
    await pruneJobs(storage, new Date(now.getTime() - keptMs));
  }

  /** Says, where others share the database, that what is open here is being worked on. */
  async keepAlive(): Promise<void> {
    const { storage, owner } = this.#ports;
    if (this.#open.size > 0 && storage.dialect === "postgres") await holdJobs(storage, { owner, holdMs });
  }

  /** Ends what is open as interrupted. */
  async close(): Promise<void> {
    const open = [...this.#open.values()];
    for (const { controller } of open) controller.abort(jobInterrupted());
    await Promise.all(open.map(({ ended }) => ended));
  }

  #current(job: JobRecord): JobRecord {
    const open = this.#open.get(job.id);
    if (open === undefined) return job;
    const { status, documentsDone, chunks, failed } = open;
    return { ...job, status, documentsDone, chunks, failed: [...failed] };
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
        // Of those that nothing came of the first failure stands for all.
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
    const { documentsDone, chunks, failed } = job;
    // What can't be written down now is found as interrupted later.
    await updateJob(storage, job.tenant, id, { ...end, documentsDone, chunks, failed }).catch((thrown) =>
      log.warn("rag.job_unwritten", { job: id, err: thrown }),
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
      taken(chunks) {
        job.documentsDone++;
        job.chunks += chunks;
        progressed();
      },
      refused(index, documentId, { code, message }) {
        if (job.failed.length < failuresMax) job.failed.push({ index, id: documentId, error: code, message });
        progressed();
      },
    };
  }

  async #write(id: string, { tenant, documentsDone, chunks, failed }: OpenJob): Promise<void> {
    const { storage, log } = this.#ports;
    const progress = { status: "running" as const, documentsDone, chunks, failed: [...failed] };
    await updateJob(storage, tenant, id, progress).catch((thrown) =>
      log.warn("rag.job_unwritten", { job: id, err: thrown }),
    );
  }
}

const jobCancelled = () => new AppError("conflict", "job_cancelled", "The job was cancelled.");

const jobInterrupted = () =>
  new AppError("unavailable", "job_interrupted", "Argosy stopped before the job had ended.");

function elsewhere(id: string): AppError {
  return new AppError("conflict", "job_elsewhere", `Job ${id} is being worked on by another process.`, {
    details: { hint: "Cancel it there, or try again when it has ended." },
  });
}

function tooBusy(): AppError {
  return new AppError("unavailable", "too_busy", `${openMax} jobs wait or are in work; try again later.`, {
    details: { retryAfterSeconds: 5 },
  });
}

import { randomBytes } from "node:crypto";
import type { AgentToolInput } from "../../../../contracts/daemon/mcp.ts";
import type { RunResult } from "../../../../contracts/daemon/runs/run.ts";
import { type AppError, toAppError } from "../../../../kit/app-error.ts";
import { repeatedWorker, type Worker } from "../../../../kit/worker.ts";
import { openText, sealText } from "../../../../storage/sealed-text.ts";
import type { Sealer } from "../../../../storage/sealing/seal.ts";
import type { DurableRuns, KeepSteps } from "../../durable-runs/durable-runs.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import { awaitedIn } from "../../paused-runs/paused-runs.ts";
import { outcomeOf } from "../../paused-runs/present-paused-run.ts";
import { closeRejected, findApproval } from "../../paused-runs/store.ts";
import { placeRun, type RunDeps } from "../../runs/admit-run.ts";
import { locateAgent } from "../../runs/locate-agent.ts";
import { runInput } from "../../runs/run-input.ts";
import type { ProgressReport } from "../progress-report.ts";
import { toolFailure, toolResult } from "../tool-result.ts";
import type { McpTaskRow } from "./schema.ts";
import {
  abandonedTasks,
  changeTask,
  claimTask,
  endLeases,
  findTask,
  holdTasks,
  insertTask,
  leaveTasks,
  pruneTasks,
  type TaskStorage,
} from "./store.ts";

/** A call that lasts longer becomes a task. */
const patienceMs = 2000;
const everyMs = 10_000;
/** A process that renews no lease for this long is dead. */
const holdMs = 60_000;
/** A run that ends its process is continued so often. */
const interruptionsMax = 3;
/** How long a task can be asked for, from its beginning. */
export const keptMs = 7 * 24 * 60 * 60 * 1000;

export interface McpTasksPorts extends RunDeps {
  storage: TaskStorage;
  sealer: Sealer | undefined;
  durable: DurableRuns;
  /** Id of this process. */
  owner: string;
}

/** A call of an agent that may become a task. */
export interface TaskCall {
  /** Digest of the client. */
  client: string;
  agent: string;
  input: AgentToolInput;
  requestId: string;
  /** Aborts when the client leaves its answer; a task goes on. */
  signal: AbortSignal;
  report: ProgressReport | undefined;
}

interface Running {
  stop: AbortController;
  ended: Promise<void>;
}

/** What a run needs: the call, and how its steps are kept. */
type Performed = Pick<McpTaskRow, "id" | "agent" | "sessionId"> & { input: AgentToolInput };

type Ended = { result: object } | { awaits: string } | "left";

/**
 * Calls of agents that last so long that their clients ask for them later. A task is stored before its client learns of it. After a crash,
 * another process continues its run from the steps that are kept; see `DurableRuns`.
 */
export class McpTasks {
  readonly storage: TaskStorage;
  readonly #ports: McpTasksPorts;
  readonly #running = new Map<string, Running>();
  readonly #listeners = new Set<(id: string) => void>();

  constructor(ports: McpTasksPorts) {
    this.storage = ports.storage;
    this.#ports = ports;
  }

  /** Runs an agent. Resolves with the result of the call, or with the task that it has become. */
  async call({ client, agent, input, requestId, signal, report }: TaskCall): Promise<object | McpTaskRow> {
    const { clock, newId, owner, storage } = this.#ports;
    const id = randomBytes(32).toString("base64url");
    const sessionId = input.session_id ?? newId();
    const stop = new AbortController();
    const leave = () => stop.abort(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    const run = this.#perform({ id, agent, sessionId, input }, "begin", stop.signal, { requestId, report });
    run.catch(() => undefined);
    const late = Promise.withResolvers<undefined>();
    const stopTimer = clock.timer(patienceMs, () => late.resolve(undefined));
    try {
      const ended = await Promise.race([run, late.promise]);
      if (ended !== undefined && ended !== "left" && "result" in ended) return ended.result;
      const now = clock.now();
      const row: McpTaskRow = {
        tenant: operatorTenant,
        id,
        client,
        agent,
        sessionId,
        status: "working",
        input: this.#seal(id, "input", input),
        result: null,
        awaits: null,
        createdAt: now,
        updatedAt: now,
        interruptions: 0,
        owner,
        heldUntil: this.#heldUntil(),
      };
      await insertTask(storage, row);
      this.#follow(row, stop, run);
      return row;
    } catch (thrown) {
      stop.abort(new DOMException("The call has ended.", "AbortError"));
      throw thrown;
    } finally {
      stopTimer();
      signal.removeEventListener("abort", leave);
    }
  }

  /** Returns a client's task as it is now; undefined if the client has none with this id. */
  async find(id: string, client: string): Promise<McpTaskRow | undefined> {
    const row = await findTask(this.#ports.storage, { tenant: operatorTenant, id });
    if (row?.client !== client) return undefined;
    return row.status === "working" && row.awaits !== null ? this.#settle(row, row.awaits) : row;
  }

  resultOf({ id, result }: McpTaskRow): object | undefined {
    return result === null ? undefined : JSON.parse(this.#open(id, "result", result));
  }

  /** Stops a task that has not ended. A person who was asked can't let it go on. */
  async cancel(row: McpTaskRow): Promise<void> {
    const { approvals, clock, storage } = this.#ports;
    const now = clock.now();
    const change = { status: "cancelled", updatedAt: now, owner: null, heldUntil: null } as const;
    if (!(await changeTask(storage, row, change))) return;
    this.#running.get(row.id)?.stop.abort(new DOMException("The task was cancelled.", "AbortError"));
    if (row.awaits !== null && approvals !== undefined)
      await closeRejected(approvals.storage, row.tenant, row.awaits, { now, comment: null });
    this.#tell(row.id);
  }

  /** Calls back for each change that this process sees, until the returned function is called. */
  onChange(listener: (id: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  worker(): Worker {
    return repeatedWorker("mcp-task-keeper", everyMs, this.#ports.clock, () => this.keep());
  }

  /** Renews leases, stops what was cancelled elsewhere, continues what a dead process left, and deletes what is old. */
  async keep(): Promise<void> {
    const { clock, owner, storage, stopping } = this.#ports;
    const running = [...this.#running.keys()];
    const held = new Set(await holdTasks(storage, owner, running, this.#heldUntil()));
    for (const id of running)
      if (!held.has(id))
        this.#running.get(id)?.stop.abort(new DOMException("The task was cancelled.", "AbortError"));
    for (const row of await abandonedTasks(storage, clock.now())) {
      if (stopping.aborted || this.#running.has(row.id)) continue;
      if (row.interruptions >= interruptionsMax) await this.#change(row, interrupted);
      else if (await claimTask(storage, row, { owner, heldUntil: this.#heldUntil() })) this.#continue(row);
    }
    await pruneTasks(storage, new Date(clock.now().getTime() - keptMs));
  }

  /** Lets the next process continue what an earlier one left. Only one process at a time opens a SQLite file. */
  async recover(): Promise<void> {
    if (this.#ports.storage.dialect === "sqlite") await endLeases(this.#ports.storage);
  }

  /** Resolves when nothing runs any more, and leaves what is not finished to another process. */
  async retire(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    const { storage, owner, log } = this.#ports;
    // Without the database, the lease ends by itself.
    await leaveTasks(storage, owner).catch((thrown) => log.warn("mcp.tasks_held", { err: thrown }));
  }

  #continue(row: McpTaskRow): void {
    const { log } = this.#ports;
    log.info("mcp.task_continued", { agent: row.agent });
    const stop = new AbortController();
    const input: AgentToolInput = JSON.parse(this.#open(row.id, "input", row.input));
    const run = this.#perform({ ...row, input }, "continue", stop.signal, {
      requestId: row.id,
      report: undefined,
    });
    this.#follow(row, stop, run);
  }

  /** Stores how the run of a task ends. */
  #follow(row: McpTaskRow, stop: AbortController, run: Promise<Ended>): void {
    const { log, owner, storage, clock } = this.#ports;
    const end = async () => {
      const ended = await run;
      if (ended === "left") return;
      const change =
        "awaits" in ended
          ? { awaits: ended.awaits }
          : { status: "completed" as const, result: this.#seal(row.id, "result", ended.result) };
      const freed = { owner: null, heldUntil: null, updatedAt: clock.now() };
      await changeTask(storage, row, { ...change, ...freed }, owner);
      this.#tell(row.id);
    };
    const ended = end()
      .catch((err: unknown) => log.error("mcp.task_not_stored", { err }))
      .finally(() => this.#running.delete(row.id));
    this.#running.set(row.id, { stop, ended });
  }

  /** Runs an agent to its end. Never rejects: a failure is a result, too. */
  async #perform(
    { id, agent, sessionId, input }: Performed,
    how: "begin" | "continue",
    signal: AbortSignal,
    { requestId, report }: Pick<TaskCall, "requestId" | "report">,
  ): Promise<Ended> {
    const { durable, runs, stopping } = this.#ports;
    const key = { tenant: operatorTenant, runId: id };
    const keep: KeepSteps = (fingerprint) =>
      how === "begin"
        ? durable.begin(key, fingerprint)
        : durable.goOn(key, { agent, sessionId }, fingerprint, runs.usage);
    try {
      const located = await locateAgent(this.#ports, agent, { sender: "stranger" });
      const request = {
        ...runInput(this.#ports, input, { stream: report !== undefined, signal, requestId }),
        sessionId,
      };
      if (report !== undefined) request.progress = (told) => report.tool(told);
      let result: RunResult | undefined;
      for await (const event of placeRun(this.#ports, located, request, false, { keep, id: "" })) {
        if (event.type === "done") result = event.result;
        else report?.add(event);
      }
      if (result === undefined) throw new Error("The run ended without a result.");
      await durable.forget([key]);
      return { result: toolResult(result) };
    } catch (thrown) {
      if (stopping.aborted && !signal.aborted) return "left";
      const error = toAppError(thrown);
      const awaited = awaitedIn(error);
      await durable.forget([key]).catch(() => undefined);
      return awaited?.status === "awaiting_approval" ? { awaits: awaited.approval_id } : this.#failed(error);
    }
  }

  #failed(error: AppError): Ended {
    if (error.kind === "internal") this.#ports.log.error("mcp.task_failed", { err: error.cause ?? error });
    return { result: toolFailure(error) };
  }

  /** What became of the run that waits for a person. */
  async #settle(row: McpTaskRow, awaits: string): Promise<McpTaskRow> {
    const { approvals, storage, clock } = this.#ports;
    const approval = approvals && (await findApproval(approvals.storage, row.tenant, awaits));
    if (approvals === undefined || approval === undefined) return this.#change(row, gone);
    if (approval.endedAt === null && approval.status !== "expired") return row;
    const { result, error, next_approval_id } = await outcomeOf(approvals, approval);
    if (next_approval_id !== undefined) {
      const change = { awaits: next_approval_id, updatedAt: clock.now() };
      await changeTask(storage, row, change);
      return { ...row, ...change };
    }
    if (result !== undefined) return this.#change(row, toolResult(result));
    return this.#change(row, error === undefined ? gone : failureText(error));
  }

  async #change(row: McpTaskRow, result: object): Promise<McpTaskRow> {
    const { storage, clock } = this.#ports;
    const sealed = this.#seal(row.id, "result", result);
    const change = { status: "completed", result: sealed, updatedAt: clock.now() } as const;
    const isChanged = await changeTask(storage, row, change);
    return isChanged ? { ...row, ...change } : ((await findTask(storage, row)) ?? row);
  }

  #tell(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }

  #heldUntil(): Date {
    return new Date(this.#ports.clock.now().getTime() + holdMs);
  }

  #seal(id: string, part: string, value: object): string {
    return sealText(this.#ports.sealer, JSON.stringify(value), contextOf(id, part));
  }

  #open(id: string, part: string, text: string): string {
    return openText(this.#ports.sealer, text, contextOf(id, part));
  }
}

const contextOf = (id: string, part: string) => ({
  purpose: "mcp task",
  tenant: operatorTenant,
  name: `${id} ${part}`,
});

const failureText = ({ code, message }: { code: string; message: string }) => ({
  content: [{ type: "text", text: `${code}: ${message}` }],
  isError: true,
});

const interrupted = failureText({
  code: "run_interrupted",
  message: `The process that ran the agent ended ${interruptionsMax} times. The run is not continued again.`,
});

const gone = failureText({
  code: "approval_rejected",
  message: "The call that the run waited for was not approved, and the run did not go on.",
});

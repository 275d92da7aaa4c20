import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { EngineRequest } from "../../../engine/run-state/run-request.ts";
import {
  type CanaryFigures,
  type CanaryStep,
  type CanaryTerms,
  judgeCanary,
} from "../../../evals/canary/judge-canary.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { serialQueue } from "../../../kit/concurrency/serial-queue.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import { type MetricRegistry, metricsIn } from "../../../kit/metrics.ts";
import type { AgentCatalog, CatalogEntry } from "../agents/agent-catalog.ts";
import { isCanarySession } from "../agents/canary-share.ts";
import { fingerprintOf } from "../agents/fingerprint.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { awaitedIn } from "../paused-runs/paused-runs.ts";
import type { CanaryJournal, CanaryLine } from "./canary-journal.ts";
import { type CanaryStorage, deleteCanaryRuns, figuresOf, insertCanaryRun } from "./store.ts";

export interface CanaryParts {
  storage: CanaryStorage;
  catalog: AgentCatalog;
  journal: CanaryJournal;
  registry: MetricRegistry;
  /** Takes the new verdict into account; resolves when the catalog shows it. */
  ended: () => Promise<void>;
  clock: Clock;
  newId: NewId;
  log: Logger;
}

/** Version that answers a run of an agent with an open canary. */
export interface ChosenVersion {
  agent: RunnableAgent;
  fingerprint: string;
  /** Version of the agent that is the canary. */
  canary: string;
  isCanary: boolean;
}

type Note = { failed: boolean; traceId: string; costUsd: number | null };
type Ending = Extract<CanaryLine, { event: "canary_promoted" | "canary_returned" }>;

/** Chooses the version for each session of agents with a canary, counts how their runs end, and ends canaries. */
export class CanaryRuns {
  readonly #parts: CanaryParts;
  readonly #metrics: ReturnType<typeof metricsOf>;
  readonly #inTurn = serialQueue();
  /** Number of runs that must end before the next verdict can be due, by canary. */
  readonly #distant = new Map<string, number>();

  constructor(parts: CanaryParts) {
    this.#parts = parts;
    this.#metrics = metricsOf(parts);
  }

  /** Returns the version for a run; undefined if the agent has no open canary, or if the run is a test. */
  choose(
    name: string,
    { sessionId, toolStubs, source }: Pick<EngineRequest, "sessionId" | "toolStubs" | "source">,
  ): ChosenVersion | undefined {
    const entry = this.#parts.catalog.findEntry(name);
    const isTest = toolStubs !== undefined || source === "eval" || source === "playground";
    if (entry?.canary === undefined || entry.agent === undefined || isTest) return undefined;
    const canary = fingerprintOf(entry.canary.version.agent);
    const { percent } = entry.canary.terms;
    const isCanary = isCanarySession({ agent: name, fingerprint: canary, percent }, sessionId);
    const agent = isCanary ? entry.canary.version.agent : entry.agent;
    return { agent, fingerprint: fingerprintOf(agent), canary, isCanary };
  }

  /** Passes on the events of a run and counts how it ends. Runs that wait for a person, and those that are cancelled, don't count. */
  async *observe(
    chosen: ChosenVersion,
    { cancelledBy }: Pick<EngineRequest, "cancelledBy">,
    events: AsyncIterable<RunEvent>,
  ): AsyncGenerator<RunEvent, void> {
    try {
      for await (const event of events) {
        if (event.type === "done") {
          const { result, costMicros } = event;
          const costUsd = costMicros === null ? null : costMicros / 1_000_000;
          this.#note(chosen, { failed: false, traceId: result.trace_id, costUsd });
        }
        yield event;
      }
    } catch (thrown) {
      const error = toAppError(thrown);
      const isOver = cancelledBy.some(({ aborted }) => aborted) || awaitedIn(error) !== undefined;
      if (!isOver) {
        const { trace_id: traceId } = error.details as { trace_id?: unknown };
        const id = typeof traceId === "string" ? traceId : this.#parts.newId();
        this.#note(chosen, { failed: true, traceId: id, costUsd: null });
      }
      throw thrown;
    }
  }

  /** Resolves when the runs that ended so far are counted. */
  counted(): Promise<void> {
    return this.#inTurn(async () => {});
  }

  /** Steps and figures of an agent's newest canary. Throws `no_canary`. */
  async look(name: string): Promise<{ steps: CanaryLine[]; figures: CanaryFigures | undefined }> {
    const steps = this.#parts.journal.canaryOf(name);
    const last = steps.at(-1);
    if (last === undefined) throw noCanary(name);
    if (isEnd(last)) return { steps, figures: last.figures };
    if (last.event === "canary_withdrawn") return { steps, figures: undefined };
    return { steps, figures: await this.#figures(name, last.fingerprint) };
  }

  /** Ends an open canary by hand. Throws `no_canary`. */
  end(name: string, verdict: "promote" | "return", reason: string): Promise<void> {
    return this.#inTurn(async () => {
      const entry = await this.#parts.catalog.getEntry(name);
      if (entry.canary === undefined) throw noCanary(name);
      const fingerprint = fingerprintOf(entry.canary.version.agent);
      const figures = await this.#figures(name, fingerprint);
      await this.#end(name, fingerprint, { verdict, reasons: [reason], figures, by: "owner" });
    });
  }

  #note(chosen: ChosenVersion, { failed, traceId, costUsd }: Note): void {
    const { clock, log, storage } = this.#parts;
    const { canary, isCanary } = chosen;
    const { name: agent } = chosen.agent;
    this.#metrics.runs.of(agent, isCanary ? "canary" : "baseline", failed ? "error" : "ok").inc();
    const run = {
      tenant: operatorTenant,
      traceId,
      agent,
      canary,
      isCanary,
      failed,
      costUsd,
      at: clock.now(),
    };
    void this.#inTurn(async () => {
      await insertCanaryRun(storage, run);
      await this.#judge(agent, canary);
    }).catch((thrown: unknown) => log.error("agent.canary_not_counted", { agent, err: thrown }));
  }

  async #judge(name: string, fingerprint: string): Promise<void> {
    const distant = this.#distant.get(fingerprint) ?? 1;
    this.#distant.set(fingerprint, distant - 1);
    const entry = this.#parts.catalog.findEntry(name);
    if (distant > 1 || !isOpen(entry, fingerprint)) return;
    const { terms } = entry.canary;
    const steps = this.#parts.journal.canaryOf(name, fingerprint);
    const [started] = steps;
    if (started?.event !== "canary_started") return;
    const looked = Math.max(0, ...steps.map((step) => (step.event === "canary_judged" ? step.look : 0)));
    const figures = await this.#figures(name, fingerprint);
    const minutes = (this.#parts.clock.now().getTime() - Date.parse(started.at)) / 60_000;
    const step = judgeCanary(terms, figures, { looked, minutes });
    this.#distant.set(fingerprint, runsUntil(terms, figures, step.verdict === "wait" ? looked : step.look));
    await this.#act(name, fingerprint, figures, step);
  }

  async #act(name: string, fingerprint: string, figures: CanaryFigures, step: CanaryStep): Promise<void> {
    const { journal, clock, log } = this.#parts;
    if (step.verdict === "wait") return;
    const { verdict, look, reasons } = step;
    if (verdict !== "continue") return this.#end(name, fingerprint, { verdict, reasons, figures });
    const at = clock.now().toISOString();
    journal.step(name, { event: "canary_judged", fingerprint, look, reasons, figures, at });
    log.info("agent.canary_judged", { agent: name, fingerprint, look, reasons });
  }

  async #end(
    name: string,
    fingerprint: string,
    { verdict, ...ending }: { verdict: "promote" | "return" } & Pick<Ending, "reasons" | "figures" | "by">,
  ): Promise<void> {
    const { journal, clock, log, storage, ended } = this.#parts;
    const at = clock.now().toISOString();
    const event = verdict === "promote" ? "canary_promoted" : "canary_returned";
    journal.step(name, { event, fingerprint, at, ...ending });
    this.#distant.delete(fingerprint);
    this.#metrics.ends.of(name, verdict === "promote" ? "promoted" : "returned").inc();
    log[verdict === "promote" ? "info" : "warn"](`agent.${event}`, { agent: name, fingerprint, ...ending });
    await ended();
    await deleteCanaryRuns(storage, { tenant: operatorTenant, agent: name });
  }

  #figures(agent: string, canary: string): Promise<CanaryFigures> {
    return figuresOf(this.#parts.storage, { tenant: operatorTenant, agent, canary });
  }
}

type OpenEntry = CatalogEntry & { canary: NonNullable<CatalogEntry["canary"]> };

const isOpen = (entry: CatalogEntry | undefined, fingerprint: string): entry is OpenEntry =>
  entry?.canary !== undefined && fingerprintOf(entry.canary.version.agent) === fingerprint;

const isEnd = (line: CanaryLine): line is Ending =>
  line.event === "canary_promoted" || line.event === "canary_returned";

/** Fewest runs that must end before the next verdict. */
function runsUntil({ min_runs }: CanaryTerms, { canary, baseline }: CanaryFigures, looked: number): number {
  return Math.max(1, min_runs * (looked + 1) - canary.runs, min_runs - baseline.runs);
}

function metricsOf({ registry, catalog }: Pick<CanaryParts, "registry" | "catalog">) {
  const { counter, gauge } = metricsIn(registry);
  gauge(
    "platform_canary_percent",
    "Share of sessions that a new version answers, in percent; 0 without a canary.",
    ["agent_name"],
    (gauge) => {
      for (const { name, canary, former } of catalog.list())
        if (canary !== undefined || former !== undefined) gauge.of(name).set(canary?.terms.percent ?? 0);
    },
  );
  return {
    runs: counter("platform_canary_runs_total", "Finished runs of agents with an open canary.", [
      "agent_name",
      "version",
      "status",
    ]),
    ends: counter("platform_canary_ends_total", "Canaries that ended: promoted or returned.", [
      "agent_name",
      "outcome",
    ]),
  };
}

const noCanary = (name: string) =>
  new AppError("not_found", "no_canary", `Agent ${name} has no canary.`, {
    details: { hint: "`spec.release.canary` in its manifest lets the next version begin as one." },
  });

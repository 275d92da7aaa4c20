import type { DaemonClient } from "../../contracts/daemon/client.ts";
import type { EvalRunBrief, EvalRunOrder } from "../../contracts/daemon/evals/eval-runs.ts";
import type { EvalRun } from "../../contracts/evals/eval-run.ts";
import { AppError, toAppError } from "../../kit/app-error.ts";
import { usageError } from "../terminal/report-error.ts";

/** Returns the id of a run; `last` is the newest, of the eval `of` if given. Throws AppError `eval_run_not_found`. */
export async function runIdOf(
  client: Pick<DaemonClient, "listEvalRuns">,
  id: string,
  of?: string,
): Promise<string> {
  if (id !== "last") return id;
  const { runs } = await client.listEvalRuns({ ...(of !== undefined && { eval: of }), limit: 1 });
  const [newest] = runs;
  if (newest !== undefined) return newest.id;
  const which = of === undefined ? "" : ` of the eval ${of}`;
  throw new AppError("not_found", "eval_run_not_found", `There is no run${which} yet.`, {
    details: { hint: "Run `argosy eval` first." },
  });
}

/** Returns a stored run with its results. Throws AppError `eval_run_not_found`. */
export async function readEvalRun(
  client: Pick<DaemonClient, "listEvalRuns" | "getEvalReport">,
  id: string,
  of?: string,
): Promise<EvalRun> {
  return JSON.parse(await client.getEvalReport(await runIdOf(client, id, of), "json")) as EvalRun;
}

/** Options of a run; absent ones are the file's, or those of the run that is resumed. */
export type OrderOptions = { [Option in keyof EvalRunOrder]?: EvalRunOrder[Option] | undefined } & {
  /** Id of a run, or `last`. */
  resume?: string | undefined;
};

/** An eval to run: its file, and the name in it. */
interface NamedFile {
  path: string;
  name: string;
}

interface RunWatch {
  signal: AbortSignal;
  onProgress(run: EvalRunBrief): void;
}

/**
 * Runs an eval with the daemon, or goes on with its run `resume`, and returns it with its results. The run is cancelled if the signal aborts,
 * and can be resumed. Throws the AppError with which the run failed.
 */
export async function runEvalFile(
  client: DaemonClient,
  file: NamedFile,
  { resume, ...options }: OrderOptions,
  { signal, onProgress }: RunWatch,
): Promise<EvalRun> {
  const order: EvalRunOrder = JSON.parse(JSON.stringify(options));
  const begun =
    resume === undefined
      ? await client.startEvalFileRun({ ...order, budget_usd: order.budget_usd ?? null, file: file.path })
      : await resumed(client, file, resume, order);
  const cancel = () => void client.cancelEvalRun(begun.id).catch(() => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel);
  let run = begun;
  try {
    for await (const event of client.followEvalRun(begun.id)) {
      run = event.run;
      onProgress(run);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
  const { status, error } = run;
  if (status === "failed" && error !== undefined) {
    throw new AppError("conflict", error.error, error.message, {
      details: { hint: "Correct the cause, then continue with --resume." },
    });
  }
  return readEvalRun(client, begun.id);
}

async function resumed(
  client: DaemonClient,
  { name }: NamedFile,
  resume: string,
  order: EvalRunOrder,
): Promise<EvalRunBrief> {
  const run = await client.getEvalRun(await runIdOf(client, resume, name));
  if (run.eval !== name) throw usageError(`The run ${run.id} is of the eval ${run.eval}, not of ${name}.`);
  return client.resumeEvalRun(run.id, order).catch((thrown: unknown) => {
    // It is complete, and nothing that decides its results has changed.
    if (toAppError(thrown).code === "eval_run_ended") return run;
    throw thrown;
  });
}

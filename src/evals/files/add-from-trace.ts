import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isMap, parseDocument } from "yaml";
import type { DaemonClient } from "../../contracts/daemon/client.ts";
import type { RunResult, Trace } from "../../contracts/daemon/runs/run.ts";
import type { JudgedTrace } from "../../contracts/daemon/runs/traces.ts";
import { AppError } from "../../kit/app-error.ts";
import type { EvalCase, EvalStub } from "../../manifest/eval/eval.ts";
import { type NewCase, newEvalText, withCase } from "../dataset/add-case.ts";
import { readEvalText } from "./read-eval-file.ts";

/** A case made from a trace. */
export interface AddedCase {
  file: string;
  case: string;
  agent: string;
  /** True if the file is new. */
  created: boolean;
  stubs: number;
  /** False if the run had no answer, or somebody judged it bad. */
  has_expected: boolean;
}

export interface TraceCaseChoices {
  trace: string;
  /** Path of the eval file; made if it does not exist. */
  path: string;
  /** The path as the user typed it. */
  shown: string;
  id?: string | undefined;
  /** Checks of the answer, each as YAML. */
  checks?: readonly string[];
}

/** Question, answer and calls of a run. */
interface Exchange {
  query: string;
  response: string | undefined;
  context?: Record<string, unknown>;
  calls: readonly { tool: string; input: Record<string, unknown>; output: unknown }[];
}

/**
 * Adds a run as a case: its question, its answer as `expected` unless somebody judged it bad, and the results of its tools as stubs. Throws
 * `invalid_manifest` if neither `checks` nor the eval's own can fail an answer.
 */
export async function addCaseFromTrace(
  client: TraceReader,
  { trace: id, path, shown, id: caseId, checks = [] }: TraceCaseChoices,
): Promise<AddedCase> {
  if (!/\.eval\.ya?ml$/.test(path)) {
    throw new AppError("invalid", "usage", `--to must name an *.eval.yaml file, got ${shown}.`);
  }
  const { agent, one } = await caseOfTrace(client, id);
  const added: NewCase = { ...one, id: caseId ?? one.id, checks: checks.map(checkOf) };
  const created = !existsSync(path);
  const text = created
    ? newEvalText(nameOf(path), agent, added)
    : withCase(await readEvalText(path), shown, added);
  writeWhole(path, text);
  return {
    file: shown,
    case: added.id ?? "",
    agent,
    created,
    stubs: one.stubs.length,
    has_expected: one.expected !== undefined,
  };
}

/** Client calls that a case needs from a trace. */
export type TraceReader = Pick<DaemonClient, "getTrace" | "listCassettes" | "getCassette">;

/** Returns the case that a run makes. Throws AppError `trace_without_content` if its question was not kept. */
export async function caseOfTrace(
  client: TraceReader,
  id: string,
): Promise<{ agent: string; one: NewCase & { id: string; query: string; stubs: EvalStub[] } }> {
  const trace = await client.getTrace(id);
  const { query, response, context, calls } = await exchangeOf(client, trace);
  return {
    agent: trace.agent,
    one: {
      id: `trace-${id.slice(-12)}`,
      query,
      ...(context && { context }),
      ...(response !== undefined && response !== "" && !isJudgedBad(trace) && { expected: response }),
      stubs: stubsOf(calls),
    },
  };
}

/** Returns true if a person or the run's users judged the answer bad: it is not an example of a good one. */
const isJudgedBad = ({ feedback, channel_feedback: ofUsers }: JudgedTrace): boolean =>
  feedback?.rating === "down" || ofUsers?.rating === "down";

/** Reads a check of the command line. The file's schema checks it. */
function checkOf(text: string): EvalCase["checks"][number] {
  const document = parseDocument(text);
  if (document.errors.length === 0 && isMap(document.contents)) return document.toJS();
  throw new AppError(
    "invalid",
    "usage",
    `--check must be a check such as 'contains: next day', got ${text}.`,
  );
}

/** Reads the recording of the run, which has everything, or else the content of its trace. */
async function exchangeOf(
  client: Pick<DaemonClient, "listCassettes" | "getCassette">,
  trace: Trace,
): Promise<Exchange> {
  const { cassettes } = await client.listCassettes({ trace_id: trace.trace_id });
  const [recorded] = cassettes;
  if (recorded !== undefined) {
    const { request, outcome } = await client.getCassette(recorded.id);
    const { query, context } = request;
    // A cassette keeps results of runs as JSON.
    const result = "result" in outcome ? (outcome.result as unknown as RunResult) : undefined;
    return { query, context, response: result?.response, calls: result?.tool_calls ?? [] };
  }
  const root = trace.spans.find(({ parent_span_id: parent }) => parent === undefined);
  const { input, output } = root?.attributes ?? {};
  if (typeof input !== "string") throw withoutContent(trace.trace_id);
  const calls = trace.spans.flatMap(({ name, attributes }) =>
    name === "tool.call" && attributes.input !== undefined
      ? [
          {
            tool: String(attributes.tool),
            input: attributes.input as Exchange["calls"][number]["input"],
            output: attributes.output,
          },
        ]
      : [],
  );
  return { query: input, response: typeof output === "string" ? output : undefined, calls };
}

function stubsOf(calls: Exchange["calls"]): NonNullable<NewCase["stubs"]> {
  const stubs = new Map<string, NonNullable<NewCase["stubs"]>[number]>();
  for (const { tool, input, output } of calls) {
    const key = JSON.stringify([tool, input]);
    // The first result is kept: a case answers the same call the same way.
    if (stubs.has(key)) continue;
    const { success, data, error } = (output ?? {}) as { success?: unknown; data?: unknown; error?: unknown };
    stubs.set(key, {
      tool,
      input,
      ...(success === false ? { error: String(error) } : { output: data ?? null }),
    });
  }
  return [...stubs.values()];
}

function withoutContent(id: string): AppError {
  return new AppError(
    "unprocessable",
    "trace_without_content",
    `The trace ${id} has figures only: neither question nor answer was kept.`,
    {
      details: {
        hint: "Set `spec.observability.record: true` in runtime.yaml, or record the run (`argosy run … --record` keeps a recording on the server with `record: true` over the API), and ask again.",
      },
    },
  );
}

/** Name of a new eval, after its file. */
function nameOf(path: string): string {
  const name = basename(path)
    .replace(/\.eval\.ya?ml$/, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 63);
  return name === "" ? "cases" : name;
}

/** Writes a file completely or not at all. */
function writeWhole(path: string, text: string): void {
  const unfinished = `${path}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(unfinished, text, { flag: "wx" });
    renameSync(unfinished, path);
  } catch (thrown) {
    rmSync(unfinished, { force: true });
    const code = String((thrown as { code?: unknown }).code);
    throw new AppError("unavailable", "file_unwritable", `${path} can't be written (${code}).`);
  }
}

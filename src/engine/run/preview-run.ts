import { silentLogger } from "../../kit/log.ts";
import { withToolsNow } from "../agents/live-tools.ts";
import type { RunnableAgent } from "../agents/runnable-agent.ts";
import type { EngineRequest } from "../run-state/run-request.ts";
import { checkInput } from "./guardrails/check-input.ts";
import { type BuiltMemory, buildMemory } from "./memory/build-memory.ts";
import type { FailingMemory } from "./memory/note-memory-failure.ts";
import { openRun } from "./open-run.ts";
import { type RenderedPrompt, renderPrompt } from "./prompt/render-prompt.ts";
import type { Run, RunPorts } from "./run.ts";

/** A run up to its first model call, which is not made. */
export interface RunPreview {
  run: Run;
  memory: BuiltMemory;
  prompt: RenderedPrompt;
  /** Memories that could not be read; a run would continue without them. */
  unread: readonly FailingMemory[];
}

/**
 * Performs the steps of a run before its first model call: guardrails, memory, prompt. Nothing is counted, traced or stored, and no tool
 * server is started. Without a query, nothing that needs one is searched. Throws AppError as a run would.
 */
export async function previewRun(
  ports: RunPorts,
  agent: RunnableAgent,
  request: Omit<EngineRequest, "cancelledBy" | "stream">,
  signal: AbortSignal,
): Promise<RunPreview> {
  const unread: FailingMemory[] = [];
  const previewedAgent = request.query === "" ? withoutSearch(agent) : agent;
  const run = openRun(
    unnoticed(ports, unread),
    previewedAgent,
    { ...request, stream: false, cancelledBy: [signal] },
    {
      parent: undefined,
      signal,
      startInside() {
        throw new Error("A preview starts no runs.");
      },
    },
  );
  const { blocked } = await checkInput(run);
  if (blocked !== undefined) throw blocked;
  const memory = await buildMemory(run);
  run.agent = withToolsNow(previewedAgent);
  return { run, memory, prompt: await renderPrompt(run, memory), unread };
}

function withoutSearch(agent: RunnableAgent): RunnableAgent {
  return agent.recall === undefined
    ? agent
    : { ...agent, recall: { ...agent.recall, semantic: undefined, knowledge: undefined } };
}

function unnoticed(ports: RunPorts, unread: FailingMemory[]): RunPorts {
  return {
    clock: ports.clock,
    newId: ports.newId,
    random: ports.random,
    observer: {
      runStarted() {},
      runFinished() {},
      toolExecuted() {},
      memoryFailed: ({ memory }) => void unread.push(memory as FailingMemory),
    },
    traces: { record() {} },
    usage: { record() {} },
    budgetOf: () => undefined,
    findAgent: ports.findAgent,
    log: silentLogger,
    redact: ports.redact,
  };
}

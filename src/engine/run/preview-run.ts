import { silentLogger } from "../../kit/log.ts";
import { type BuiltMemory, buildMemory } from "./build-memory.ts";
import { checkInput } from "./check-input.ts";
import { withToolsNow } from "./live-tools.ts";
import type { FailingMemory } from "./note-memory-failure.ts";
import { openRun } from "./open-run.ts";
import { type RenderedPrompt, renderPrompt } from "./render-prompt.ts";
import type { Run, RunPorts } from "./run.ts";
import type { RunRequest } from "./run-request.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

/** A run as far as its first model call, which is not made. */
export interface RunPreview {
  run: Run;
  memory: BuiltMemory;
  prompt: RenderedPrompt;
  /** What could not be looked into: a run would go on without it. */
  unread: readonly FailingMemory[];
}

/**
 * Does what a run does before it asks a model: guardrails, memory, prompt. Nothing is counted, traced or kept, and no server
 * of tools is started. Without a query nothing is looked up that is found by one. Throws AppError as a run would.
 */
export async function previewRun(
  ports: RunPorts,
  agent: RunnableAgent,
  request: Omit<RunRequest, "cancelledBy" | "stream">,
  signal: AbortSignal,
): Promise<RunPreview> {
  const unread: FailingMemory[] = [];
  const asked = request.query === "" ? withoutSearch(agent) : agent;
  const run = openRun(
    unnoticed(ports, unread),
    asked,
    { ...request, stream: false, cancelledBy: [signal] },
    {
      parent: undefined,
      signal,
      startInside() {
        throw new Error("A preview starts no runs.");
      },
    },
  );
  const checked = checkInput(run);
  while ((await checked.next()).done !== true);
  const memory = await buildMemory(run);
  run.agent = withToolsNow(asked);
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

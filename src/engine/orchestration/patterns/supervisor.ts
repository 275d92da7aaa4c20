import type { RunEvent } from "../../run-state/run-event.ts";
import type { BoundTool } from "../../tools/bound-tool.ts";
import type { Pattern } from "../pattern.ts";
import { instructed, withTools } from "../thread.ts";
import { type LoopEnd, toolLoop } from "../tool-loop.ts";

/** Delegates to its workers, which are agent tools, and answers from their results. Without workers, it answers alone. */
export const supervisor: Pattern = async function* (run) {
  const tools = [...run.main.tools.values()];
  const workers = tools.filter(({ tool, worker }) => worker !== undefined && run.workers.has(tool.name));
  const ownTools = new Set(tools.filter((tool) => tool.worker === undefined || workers.includes(tool)));
  // Keeps the same list if nothing was removed, because a list is serialized for the provider only once.
  const thread =
    ownTools.size === tools.length ? run.main : withTools(run.main, (tool) => ownTools.has(tool));
  const speaker = workers.length === 0 ? thread : instructed(thread, instructionFor(workers));
  const answering = new Set(workers.filter(({ proposes }) => !proposes).map(({ tool }) => tool.name));
  const loop = toolLoop(run, speaker, { role: "supervisor", speak: true, turnsMax: run.maxIterations });
  const end = yield* withSteps(loop, answering);
  return end;
};

function instructionFor(workers: readonly BoundTool[]): string {
  return [
    "You lead a team. Each of these workers is a tool that you call:",
    ...workers.map(({ tool }) => `- ${tool.name}: ${tool.description}`),
    "Give every part of the request to the worker it belongs to, with all that the worker needs to know: workers do not see this conversation. Call several at once when their parts do not depend on each other. When you have what you need, answer the user yourself, in your own words. What no worker is for, you answer alone.",
  ].join("\n");
}

/** Passes on a loop's events and adds a `step` for each worker that has answered. */
async function* withSteps(
  loop: AsyncGenerator<RunEvent, LoopEnd>,
  workers: ReadonlySet<string>,
): AsyncGenerator<RunEvent, LoopEnd> {
  try {
    let next = await loop.next();
    while (next.done !== true) {
      const event = next.value;
      yield event;
      if (event.type === "tool_result" && event.ok && workers.has(event.tool)) {
        yield { type: "step", name: event.tool, content: answerIn(event.output) };
      }
      next = await loop.next();
    }
    return next.value;
  } finally {
    await loop.return({ stop: "max_iterations" });
  }
}

/** Answer of a worker: the response field of its data, or the data itself. */
function answerIn(output: unknown): string {
  const data = fieldOf(output, "data");
  const answer = fieldOf(data, "response") ?? data;
  return typeof answer === "string" ? answer : JSON.stringify(answer);
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
}

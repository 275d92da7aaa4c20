import type { RunEvent } from "../../run-state/run-event.ts";
import type { SpanHandle } from "../../telemetry/trace-recorder.ts";
import type { Pattern, PatternRun } from "../pattern.ts";
import type { ModelThread } from "../thread.ts";
import { instructed } from "../thread.ts";
import { type LoopEnd, toolLoop } from "../tool-loop.ts";
import { type Exit, exitsOf, freeName, type HandOver, handOffTool } from "./hand-off.ts";

/** More hand-offs in a run mean that agents hand the user back and forth. */
const handOffsMax = 16;

const instruction =
  "You share this conversation with other agents, each of whom has a tool that hands the conversation over. When another one should go on, call that tool instead of answering. When the conversation was handed over to you, go on with it yourself: the user sees all that is said as one answer.";

/**
 * Agents that hand one conversation over to each other. The current agent answers with its own prompt, models and tools, until one answers
 * without handing over. Guardrails, memory and limits are those of the requested agent.
 */
export const swarm: Pattern = async function* (run) {
  const exits = exitsOf(run);
  const desk = handOffDesk(run);
  for (let speaker = run.main; ; ) {
    const end = yield* speak(run, speaker, exits, desk);
    const next = desk.collect();
    if (next === undefined) return end;
    const { thread, reason } = next;
    const handOff: RunEvent = { type: "handoff", from: speaker.agent, to: thread.agent };
    yield reason === undefined ? handOff : { ...handOff, reason };
    speaker = thread;
  }
};

interface HandOff {
  thread: ModelThread;
  reason: string | undefined;
}

interface HandOffDesk {
  handOver: HandOver;
  isTaken(): boolean;
  /** Returns the hand-off of the last turn, if any, and allows the next one. */
  collect(): HandOff | undefined;
}

/** Accepts the first hand-off of each turn. */
function handOffDesk(run: PatternRun): HandOffDesk {
  const threads = new Map([[run.main.agent, run.main]]);
  let taken: HandOff | undefined;
  /** Next agent while its tools and its prompt are being prepared. */
  let chosen: string | undefined;
  let count = 0;
  return {
    async handOver(agent, reason, signal) {
      const first = taken?.thread.agent ?? chosen;
      if (first !== undefined) {
        return `The conversation was not handed over to ${agent}: in the same turn it was handed over to ${first}.`;
      }
      if (count >= handOffsMax) {
        return `The conversation was not handed over to ${agent}: it was handed over ${handOffsMax} times already. Answer the user yourself.`;
      }
      chosen = agent;
      let thread: ModelThread | undefined;
      try {
        thread = threads.get(agent) ?? (await run.threadOf(agent, run.main.messages, signal));
        signal.throwIfAborted();
      } finally {
        chosen = undefined;
      }
      if (thread === undefined) {
        return `The conversation was not handed over: there is no agent named ${JSON.stringify(agent)}.`;
      }
      threads.set(agent, thread);
      taken = { thread, reason };
      count++;
      return undefined;
    },
    isTaken: () => taken !== undefined,
    collect() {
      const last = taken;
      taken = undefined;
      return last;
    },
  };
}

/** Lets one member continue the conversation until it answers or hands over, traced as `swarm.member`. */
async function* speak(
  run: PatternRun,
  speaker: ModelThread,
  exits: readonly Exit[],
  { handOver, isTaken }: HandOffDesk,
): AsyncGenerator<RunEvent, LoopEnd> {
  const span = run.trace.start("swarm.member", { agent: speaker.agent }, run.main.span);
  try {
    const member = withExits(speaker, exits, handOver, span);
    const end = yield* toolLoop(run, member, { speak: true, turnsMax: run.maxIterations, stopWhen: isTaken });
    span.end(end.stop === "max_iterations" ? "ERROR" : "OK");
    return end;
  } finally {
    // Ends the span of a member that was cut off; otherwise it has already ended.
    span.end("ERROR");
  }
}

/** The speaker with its own tools and a hand-off to every other member. Its own agent tools are available only when it runs alone. */
function withExits(
  speaker: ModelThread,
  exits: readonly Exit[],
  handOver: HandOver,
  span: SpanHandle,
): ModelThread {
  const tools = new Map([...speaker.tools].filter(([, { worker }]) => worker === undefined));
  const toolSpecs = speaker.toolSpecs.filter(({ name }) => tools.has(name));
  for (const exit of exits) {
    if (exit.agent === speaker.agent) continue;
    // If one of its own tools has a member's name, the tool keeps the name.
    const name = freeName(exit.name, tools);
    const bound = handOffTool({ ...exit, name }, handOver);
    tools.set(name, bound);
    toolSpecs.push({ name, description: bound.tool.description, parameters: bound.tool.parameters });
  }
  const member = { ...speaker, tools, toolSpecs, span };
  return exits.length === 0 ? member : instructed(member, instruction);
}

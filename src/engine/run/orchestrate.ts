import { AppError } from "../../kit/app-error.ts";
import { inPieces } from "../../kit/concurrency/others-turn.ts";
import { untilAborted } from "../../kit/concurrency/until-aborted.ts";
import { withToolsReady } from "../agents/live-tools.ts";
import type { RunnableAgent } from "../agents/runnable-agent.ts";
import { knowledgeOf } from "../agents/runnable-agent.ts";
import type { ChainStream } from "../guardrails/answer-chain.ts";
import { filterJsonText, JsonAnswer } from "../guardrails/json-answer.ts";
import type { PatternRun } from "../orchestration/pattern.ts";
import type { ModelThread } from "../orchestration/thread.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import type { SpanHandle } from "../telemetry/trace-recorder.ts";
import type { ProposedCall } from "../tools/tool.ts";
import { guardOutput } from "./guardrails/guard-output.ts";
import type { RenderedPrompt } from "./prompt/render-prompt.ts";
import { withInstruction } from "./prompt/render-prompt.ts";
import type { Run } from "./run.ts";
import { runSubAgent } from "./sub-runs/run-sub-agent.ts";

/** Runs the agent's pattern behind the output guardrails, traced as `orchestration`. */
export function orchestrate(run: Run, prompt: RenderedPrompt): AsyncGenerator<RunEvent, void> {
  const { agent, trace } = run;
  const span = trace.start("orchestration", { pattern: agent.pattern.name });
  const pattern = patternRun(run, prompt, span);
  return guardOutput(run, openAnswer(agent), agent.pattern.run(pattern), ({ stop }) => {
    if (stop !== "answered") throw maxIterations(agent, pattern.maxIterations);
    span.end();
  });
}

/** The checks of the answer. */
function openAnswer({ outputGuardrails: chain, structured }: RunnableAgent): ChainStream {
  return structured === undefined || chain.length === 0 ? chain.open() : new JsonAnswer(chain.open());
}

function maxIterations(agent: RunnableAgent, calls: number): AppError {
  return new AppError(
    "unprocessable",
    "max_iterations",
    `Agent ${agent.name} reached ${calls} model calls without an answer.`,
    { details: { hint: "Raise spec.orchestration.max_iterations, or give the agent fewer tools." } },
  );
}

/** A run as its pattern uses it; `span` is the parent of the pattern's spans. */
export function patternRun(run: Run, { system, said, input }: RenderedPrompt, span: SpanHandle): PatternRun {
  const { agent, request, state, trace, ports, signal, interceptor } = run;
  const { limits } = request;
  return {
    state,
    held: run.held,
    main: threadOf(run, agent, system, state.messages, span),
    query: said,
    maxIterations: Math.min(agent.maxIterations, limits?.iterations ?? agent.maxIterations),
    workers: agent.workers,
    stages:
      agent.prompt.stages.length === 0
        ? noStages
        : agent.prompt.stages.map(({ name, render }) => ({
            name,
            instruction: (before) => render(input, before),
          })),
    async threadOf(name, messages, patience) {
      const agentOfName = name === agent.name ? agent : ports.findAgent(request.tenant, name);
      if (agentOfName === undefined) return undefined;
      const other = agentOfName === agent ? agent : await withToolsReady(agentOfName, patience);
      const prompt = await other.prompt.system({ ...input, tools: withoutAgents(other) });
      return threadOf(run, other, withInstruction(prompt, agent.structured), messages, span);
    },
    runAgent: (thread, callSpan, sub) => runSubAgent(run, thread, callSpan, sub),
    // Streams if guardrails limit answers, because an answer in one piece can't be ended early.
    stream: request.stream || agent.outputGuardrails.limitsAnswers,
    // Recordings keep one event for each token.
    bundles: request.bundles === true && interceptor === undefined,
    parameters: request.parameters,
    callTokensMax: limits?.callTokens,
    toolStubs: request.toolStubs,
    answerSchema: agent.structured?.schema,
    trace,
    record: contentRecorder(run),
    interceptor,
    observer: ports.observer,
    clock: ports.clock,
    log: ports.log,
    signal,
  };
}

const noStages: PatternRun["stages"] = [];

/** The tools that an agent has in another agent's conversation, for its prompt; the same list if it has no agent tools. */
function withoutAgents({ tools, toolSpecs }: RunnableAgent): RunnableAgent["toolSpecs"] {
  const isAgent = (name: string) => tools.get(name)?.worker !== undefined;
  return toolSpecs.some(({ name }) => isAgent(name))
    ? toolSpecs.filter(({ name }) => !isAgent(name))
    : toolSpecs;
}

function threadOf(
  run: Run,
  agent: RunnableAgent,
  system: string,
  messages: ModelThread["messages"],
  span: SpanHandle,
): ModelThread {
  const { request, ports, signal, allowances } = run;
  const toolContext: ModelThread["toolContext"] = {
    tenant: request.tenant,
    agent: agent.name,
    sessionId: request.sessionId,
    signal,
    clock: ports.clock,
    log: ports.log,
    asked: { query: run.query, context: request.context },
    propose: (call) => recordProposal(run, agent.name, call),
  };
  if (ports.maskKnown !== undefined) toolContext.maskKnown = ports.maskKnown;
  if (request.means !== undefined) toolContext.means = request.means;
  if (request.progress !== undefined) toolContext.progress = request.progress;
  const { knowledge } = knowledgeOf(agent, request.tenant);
  if (knowledge !== undefined) toolContext.knowledge = knowledge;
  return {
    agent: agent.name,
    preamble: agent.preambleOf(system),
    messages,
    routerFor: agent.routerFor,
    tools: agent.tools,
    toolSpecs: agent.toolSpecs,
    ...listedTools(run, agent),
    toolContext,
    maxToolResultTokens: agent.maxToolResultTokens,
    allowances,
    span,
  };
}

/** A recording has the tools of its end, so those of a recorded run must not change. */
function listedTools(
  { interceptor, signal }: Run,
  { live, tools }: RunnableAgent,
): Pick<ModelThread, "listed"> {
  if (live === undefined || (interceptor !== undefined && interceptor.kept === undefined)) return {};
  const now = async () => {
    const relisted = live.relisted();
    if (relisted !== undefined) await untilAborted(signal, () => relisted);
    return live.now().tools;
  };
  return { listed: { seen: tools, now } };
}

/** Text for spans: after the output guardrails and without known secrets. Undefined unless the agent records it. */
function contentRecorder({ agent, ports, signal, recordsContent }: Run): PatternRun["record"] {
  if (!recordsContent) return undefined;
  const { outputGuardrails: chain, structured } = agent;
  const isJson = structured !== undefined && chain.length > 0;
  return async (value) => {
    const filtered =
      isJson && typeof value === "string"
        ? filterJsonText(value, (text) => chain.filterValue(text))
        : chain.filterValue(value);
    try {
      return ports.redact(await inPieces(filtered, signal));
    } catch {
      return "[blocked by a guardrail]";
    }
  };
}

/**
 * Records a call that `agent` would have made. Because it leaves with the result, the output guardrails of the run and of all runs above
 * filter it. Returns the reason if it can't be recorded.
 */
export async function recordProposal(
  run: Run,
  agent: string,
  call: ProposedCall,
): Promise<string | undefined> {
  let { target, input } = call;
  let handledRun = run;
  try {
    for (let at: Run | undefined = run; at !== undefined; at = at.parent?.run) {
      const chain = at.agent.outputGuardrails;
      target = await inPieces(chain.filterValue(target), run.signal);
      input = await inPieces(chain.filterValue(input), run.signal);
      handledRun = at;
    }
  } catch (thrown) {
    if (thrown instanceof AppError) return `${call.tool} can't be proposed: ${thrown.message}`;
    throw thrown;
  }
  return run.proposals.add({ ...call, target, input }, agent === handledRun.agent.name ? undefined : agent);
}

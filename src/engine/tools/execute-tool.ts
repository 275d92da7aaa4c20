import { AppError } from "../../kit/app-error.ts";
import { inPieces } from "../../kit/concurrency/others-turn.ts";
import { type Deadline, startDeadline } from "../../kit/deadline.ts";
import { maskValues } from "../../kit/secrets/mask-values.ts";
import type { BoundTool, InputRead } from "./bound-tool.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

/**
 * Runs a tool within its rate limit and its timeout, with a valid input. Never throws: every error becomes a failed result that tells the
 * model what to change, and unexpected errors are logged. Stops waiting as soon as the run's signal aborts.
 */
export async function executeTool(
  bound: BoundTool,
  input: Record<string, unknown>,
  context: ToolContext,
): Promise<ToolResult> {
  const admitted = admitCall(bound, input, context);
  // A tool with a small input starts at once.
  const given = admitted instanceof Promise ? await admitted : admitted;
  if ("success" in given) return given;
  // The run may have ended while the input was checked in pieces.
  if (context.signal.aborted) return failed(`${bound.tool.name} was stopped: the run has ended.`);
  const { tool, timeoutMs, proposes } = bound;
  if (proposes) return propose(tool, given.input, context);
  const deadline = startDeadline(context.clock, timeoutMs, () => tookTooLong(tool.name, timeoutMs), [
    context.signal,
  ]);
  try {
    const result = await deadline.race(() =>
      tool.execute(given.input, new LimitedContext(context, deadline)),
    );
    return plainResult(result, context.maskKnown);
  } catch (thrown) {
    if (context.signal.aborted) return failed(`${tool.name} was stopped: the run has ended.`);
    if (thrown instanceof AppError) return failed(thrown.message);
    context.log.error("tool.failed", { agent: context.agent, tool: tool.name, err: thrown });
    return failed(`${tool.name} failed unexpectedly.`);
  } finally {
    deadline.dispose();
  }
}

/** The context with the deadline's signal, which is created only for a tool that reads it. */
class LimitedContext implements ToolContext {
  readonly tenant: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly clock: ToolContext["clock"];
  readonly log: ToolContext["log"];
  declare readonly maskKnown?: (text: string) => string;
  declare readonly asked?: NonNullable<ToolContext["asked"]>;
  readonly runAgent: ToolContext["runAgent"];
  declare readonly modelOf?: NonNullable<ToolContext["modelOf"]>;
  declare readonly knowledge?: NonNullable<ToolContext["knowledge"]>;
  declare readonly means?: NonNullable<ToolContext["means"]>;
  declare readonly progress?: NonNullable<ToolContext["progress"]>;
  declare readonly mayAsk?: boolean;
  declare readonly answered?: NonNullable<ToolContext["answered"]>;
  readonly propose: ToolContext["propose"];
  readonly #deadline: Deadline;

  constructor(context: ToolContext, deadline: Deadline) {
    this.tenant = context.tenant;
    this.agent = context.agent;
    this.sessionId = context.sessionId;
    this.clock = context.clock;
    this.log = context.log;
    if (context.maskKnown !== undefined) this.maskKnown = context.maskKnown;
    if (context.asked !== undefined) this.asked = context.asked;
    this.runAgent = context.runAgent;
    if (context.modelOf !== undefined) this.modelOf = context.modelOf;
    if (context.knowledge !== undefined) this.knowledge = context.knowledge;
    if (context.means !== undefined) this.means = context.means;
    if (context.progress !== undefined) this.progress = context.progress;
    if (context.mayAsk !== undefined) this.mayAsk = context.mayAsk;
    if (context.answered !== undefined) this.answered = context.answered;
    this.propose = context.propose;
    this.#deadline = deadline;
  }

  get signal(): AbortSignal {
    return this.#deadline.signal;
  }
}

/** Returns the validated input and counts the call in the rate limit, or returns a failed result with the reason. */
export function admitCall(
  bound: BoundTool,
  input: Record<string, unknown>,
  of: Pick<ToolContext, "tenant" | "agent">,
): Admitted | Promise<Admitted> {
  const read = inPieces(bound.read(input));
  return read instanceof Promise ? read.then((given) => limited(bound, given, of)) : limited(bound, read, of);
}

/** A valid input, or a failed result with the reason. */
type Admitted = { input: Record<string, unknown> } | (ToolResult & { success: false });

function limited(
  { tool, rateLimit }: BoundTool,
  given: InputRead,
  { tenant, agent }: Pick<ToolContext, "tenant" | "agent">,
): Admitted | Promise<Admitted> {
  if ("fault" in given) return failed(given.fault);
  const admit = (waitMs: number | undefined): Admitted => {
    if (waitMs === undefined) return given;
    return failed(
      `${tool.name} was called too often; it may be called again in ${Math.ceil(waitMs / 1000)} seconds.`,
    );
  };
  const waiting = rateLimit?.admit(`${tenant}\n${agent}\n${tool.name}`);
  return waiting instanceof Promise ? waiting.then(admit) : admit(waiting);
}

/** Records the call instead of carrying it out, and tells the model so. */
async function propose(
  tool: Tool,
  input: Record<string, unknown>,
  context: ToolContext,
): Promise<ToolResult> {
  const { name, type } = tool;
  const { target, operation } = tool.describeCall?.(input) ?? { target: name, operation: "execute" };
  const refusal = await context.propose({ tool: name, type, target, operation, input });
  if (refusal !== undefined) return failed(refusal);
  const note = `${name} was not executed: the call was recorded as a proposal, for a person to decide on.`;
  return { success: true, data: { executed: false, proposed: true, note } };
}

function tookTooLong(name: string, timeoutMs: number): AppError {
  return new AppError(
    "timed_out",
    "tool_timeout",
    `${name} took longer than ${timeoutMs / 1000} seconds and was stopped.`,
  );
}

/**
 * Checks that a result is valid JSON, because results are sent, stored and traced as JSON. Otherwise the tool has failed. Known secrets are
 * masked.
 */
export function plainResult(result: ToolResult, maskKnown: (text: string) => string = unmasked): ToolResult {
  if (!result.success) {
    const { error, asks } = result;
    if (asks === undefined) return failed(maskKnown(error));
    const questions = maskValues(asks.questions, maskKnown) as typeof asks.questions;
    return { success: false, error, asks: { ...asks, questions } };
  }
  try {
    const text = JSON.stringify(result.data);
    if (text !== undefined && maskKnown(text) === text) return result;
    if (text !== undefined) return { ...result, data: maskValues(result.data, maskKnown) };
  } catch {
    // A cycle, a bigint, or a toJSON that throws.
  }
  return failed("The tool answered with something that is not JSON.");
}

const unmasked = (text: string) => text;

function failed(error: string): ToolResult & { success: false } {
  return { success: false, error };
}

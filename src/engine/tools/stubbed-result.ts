import { refusedCallPrefix, type ToolStubs } from "../../contracts/daemon/runs/tool-stubs.ts";
import { countSteps, inPieces, type Work } from "../../kit/concurrency/others-turn.ts";
import { matchesPart } from "../../kit/json/matches-part.ts";
import type { BoundTool } from "./bound-tool.ts";
import { plainResult } from "./execute-tool.ts";
import type { ToolResult } from "./tool.ts";

/** The first stub that a call fits, in pieces: an eval may have 256 with a megabyte of arguments. */
function* fittingStub(
  stubs: ToolStubs["stubs"],
  tool: string,
  input: Record<string, unknown>,
): Work<ToolStubs["stubs"][number] | undefined> {
  for (const one of stubs)
    if (one.tool === tool && (yield* matchesPart(one.input ?? {}, input, countSteps))) return one;
  return undefined;
}

/**
 * Returns the prepared result of a call, or a failed one if others are refused. Undefined: the call is carried out. An invalid input fails
 * as it does without a stub. A tool that runs an agent or proposes calls has no effects of its own, so it is never refused.
 */
export async function stubbedResult(
  { stubs, others = "refuse" }: ToolStubs,
  bound: BoundTool,
  input: Record<string, unknown>,
  maskKnown: ((text: string) => string) | undefined,
): Promise<ToolResult | undefined> {
  const { tool, worker, proposes } = bound;
  const stub = await inPieces(fittingStub(stubs, tool.name, input));
  if (stub === undefined) {
    if (others === "execute" || worker !== undefined || proposes === true) return undefined;
    return {
      success: false,
      error: `${refusedCallPrefix}${tool.name}, and this run carries out no others.`,
    };
  }
  const result: ToolResult =
    stub.error === undefined
      ? { success: true, data: stub.output ?? null }
      : { success: false, error: stub.error };
  return checkedResult(bound, input, plainResult(result, maskKnown));
}

async function checkedResult(
  { read }: BoundTool,
  input: Record<string, unknown>,
  result: ToolResult,
): Promise<ToolResult> {
  const given = await inPieces(read(input));
  return "fault" in given ? { success: false, error: given.fault } : result;
}

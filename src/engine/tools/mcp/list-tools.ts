import { type AdmissionTerms, admitTool, type ServerTool } from "./admit-tool.ts";

/** The tools of a server that can be offered. */
export interface McpToolList {
  tools: readonly ServerTool[];
  /** Tools that are not offered, with reasons for the operator. */
  refused: readonly { name: string; reason: string }[];
  /** True if the server has more tools than were read. */
  isCut: boolean;
}

export const noTools: McpToolList = { tools: [], refused: [], isCut: false };

const pagesMax = 200;
const toolsMax = 2000;
const refusedMax = 100;

/** Reads all pages in sequence, within limits. Throws AppError `mcp_failed` if the answer is not a list of tools. */
export async function listTools(
  ask: (cursor: string | undefined) => Promise<Record<string, unknown>>,
  terms: AdmissionTerms = {},
): Promise<McpToolList> {
  const tools = new Map<string, ServerTool>();
  const refused: { name: string; reason: string }[] = [];
  const refuse = (name: string, reason: string) => {
    if (refused.length < refusedMax) refused.push({ name, reason });
  };
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const { tools: listed, nextCursor } = await ask(cursor);
    for (const given of Array.isArray(listed) ? listed : []) {
      if (tools.size >= toolsMax) return { tools: [...tools.values()], refused, isCut: true };
      const admitted = admitTool(given, terms);
      if ("reason" in admitted) refuse(admitted.name, admitted.reason);
      else if (tools.has(admitted.name)) refuse(admitted.name, "is listed twice");
      else tools.set(admitted.name, admitted);
    }
    if (typeof nextCursor !== "string" || nextCursor === "")
      return { tools: [...tools.values()], refused, isCut: false };
    // Stops if the server repeats a cursor.
    if (cursors.has(nextCursor)) break;
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  return { tools: [...tools.values()], refused, isCut: true };
}

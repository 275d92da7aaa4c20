import { createHash } from "node:crypto";
import type { ToolEntry } from "../../../manifest/agent/tools.ts";
import type { ServerTool } from "./admit-tool.ts";
import type { McpToolList } from "./list-tools.ts";

/** Tools of a server that an entry offers to an agent. */
export interface Offer {
  tools: readonly ServerTool[];
  /** Hash of all tools that the entry allows. */
  hash: string;
  /** Notes for the operator on tools that are left out. */
  notes: readonly string[];
}

/** Maximum number of tools: the limit on an agent's entries and of providers. */
const toolsMax = 128;
/** Maximum characters of descriptions and schemas, which are part of every model request. */
const charsMax = 512 * 1024;

/** The tools that an entry allows, in the server's order and within limits. None if they differ from the pinned hash. */
export function offerTools(
  { tools, refused, isCut }: McpToolList,
  { tools: allowed, tools_hash: pinned }: Extract<ToolEntry, { type: "mcp" }>["config"],
): Offer {
  const wanted = allowed === undefined ? tools : tools.filter(({ name }) => allowed.includes(name));
  const notes = refused
    .filter(({ name }) => allowed === undefined || allowed.includes(name))
    .map(({ name, reason }) => `${name} ${reason}`);
  const missing = (allowed ?? []).filter((name) => !tools.some((tool) => tool.name === name));
  if (missing.length > 0 && tools.length > 0) notes.push(`it has no ${missing.join(", ")}`);
  if (isCut) notes.push(`it lists more tools than are read; the first ${tools.length} were`);
  const hash = hashOf(wanted);
  if (pinned !== undefined && pinned !== hash && tools.length > 0) {
    return {
      tools: [],
      hash,
      notes: [...notes, `its tools are not those that tools_hash pins; now they have ${hash}`],
    };
  }
  const offered = withinBounds(wanted);
  if (offered.length < wanted.length) {
    notes.push(
      `of ${wanted.length} tools only the first ${offered.length} are offered; name those wanted in config.tools`,
    );
  }
  return { tools: offered, hash, notes };
}

/** Hash of a list of tools, independent of their order. */
function hashOf(tools: readonly ServerTool[]): string {
  const hashes = tools.map(({ hash }) => hash).sort();
  return createHash("sha256").update(hashes.join("\n")).digest("hex").slice(0, 16);
}

function withinBounds(tools: readonly ServerTool[]): readonly ServerTool[] {
  let chars = 0;
  const end = tools.findIndex((tool) => {
    chars += tool.chars;
    return chars > charsMax;
  });
  return tools.slice(0, Math.min(toolsMax, end === -1 ? tools.length : end));
}

import { isMap, isSeq, parseDocument } from "yaml";

/** A tool entry of a manifest. */
export interface ToolEntry {
  name: string;
  type: "builtin" | "internal";
}

/** Returns the text with one more tool; comments and order stay. Returns the same text if it cannot be parsed or has the tool. */
export function addTool(text: string, tool: ToolEntry): string {
  const document = parseDocument(text);
  if (document.errors.length > 0 || !isMap(document.contents)) return text;
  const spec = document.get("spec");
  if (!isMap(spec)) return text;
  const tools = spec.get("tools");
  if (isSeq(tools)) {
    if (namesIn(tools.toJSON()).includes(tool.name)) return text;
    tools.flow = tools.flow === true && tools.items.length > 0;
    tools.add(document.createNode(tool));
  } else {
    spec.set("tools", document.createNode([tool]));
  }
  return document.toString({ lineWidth: 0 });
}

/** Returns the names of the tools in a text; none if it cannot be parsed. */
export function toolNames(text: string): string[] {
  const document = parseDocument(text);
  return document.errors.length > 0 ? [] : namesIn((document.toJS() as Manifest | null)?.spec?.tools);
}

interface Manifest {
  spec?: { tools?: unknown };
}

function namesIn(tools: unknown): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const name = (tool as { name?: unknown } | null)?.name;
    return typeof name === "string" ? [name] : [];
  });
}

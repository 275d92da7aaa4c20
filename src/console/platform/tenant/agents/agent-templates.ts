import { stringify } from "yaml";
import { firstFreeName } from "../../../../contracts/free-name.ts";
import { templateAgents } from "../../../texts/platform/agent-templates.ts";

/** Templates for a new agent. */
export const templateNames = ["plain", "documents", "tools", "memory", "approval"] as const;
export type TemplateName = (typeof templateNames)[number];

/** A tool that a template can name. */
export interface TemplateTool {
  name: string;
  writes: boolean;
}

export interface TemplateWishes {
  template: TemplateName;
  /** Name of the new agent. */
  name: string;
  /** Model block of another agent of the tenant, which is known to work here. */
  model?: unknown;
  /** Tools of the runtime. */
  tools: readonly TemplateTool[];
}

const someModel = { primary: { provider: "rehearsal", model: "rehearsal" } };
const harmless = ["datetime_now", "json_transform"];
const toolsMost = 3;

/** Returns the text of a new agent; it names only tools that exist. */
export function agentTemplate({ template, name, model = someModel, tools }: TemplateWishes): string {
  return stringify(
    {
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name },
      spec: {
        identity: { description: templateAgents[template].description },
        model,
        prompts: { system: templateAgents[template].prompt },
        ...toolsOf(template, tools),
        ...(template === "memory"
          ? { memory: { conversational: { strategy: "sliding_window", max_turns: 20 } } }
          : {}),
      },
    },
    { lineWidth: 0 },
  );
}

/** Returns `agent`, or `agent-2` and so on if the name is taken. */
export function freeName(taken: readonly string[], wish = "agent"): string {
  const spell = (number: number) => (number === 1 ? wish : `${wish}-${number}`);
  return firstFreeName(spell, (name) => taken.includes(name), taken.length);
}

function toolsOf(template: TemplateName, tools: readonly TemplateTool[]): { tools?: object[] } {
  if (template === "tools") {
    const known = tools.filter(({ name }) => harmless.includes(name));
    const chosen = known.length > 0 ? known : tools.filter(({ writes }) => !writes).slice(0, toolsMost);
    return chosen.length === 0 ? {} : { tools: chosen.map(({ name }) => ({ name, type: "builtin" })) };
  }
  if (template === "approval") {
    const [chosen] = [...tools.filter(({ writes }) => writes), ...tools];
    return chosen === undefined
      ? {}
      : { tools: [{ name: chosen.name, type: "builtin", requires_approval: true }] };
  }
  return {};
}

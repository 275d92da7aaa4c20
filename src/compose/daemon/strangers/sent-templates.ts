import type { TemplateEngine } from "../../../engine/prompts/template.ts";
import type { AgentParts } from "../../../engine/run/build-agent.ts";

/** Parts for sent agents and overrides: their templates are rendered in a process that is killed after its time limit. */
export function withSentTemplates<Parts extends AgentParts>(parts: Parts, templates: TemplateEngine): Parts {
  return { ...parts, templates, tools: { ...parts.tools, templates } };
}

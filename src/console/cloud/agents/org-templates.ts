import { firstFreeName } from "../../../contracts/free-name.ts";
import { templateAgents } from "../../texts/cloud/org-templates.ts";
import { textOfAgent } from "./org-manifest.ts";

export const orgTemplateNames = ["plain", "shop", "support", "writer"] as const;
export type OrgTemplateName = (typeof orgTemplateNames)[number];

const parts: Readonly<Record<OrgTemplateName, { tools?: string[]; input?: string[] }>> = {
  plain: { tools: ["datetime_now"] },
  shop: { tools: ["datetime_now"], input: ["prompt_injection"] },
  support: { tools: ["datetime_now"], input: ["pii_detection", "prompt_injection"] },
  writer: {},
};

/** Returns the text of a new agent. It names only tools and guardrails that the cloud offers; the built-in model needs no key. */
export function orgTemplate(
  template: OrgTemplateName,
  taken: readonly string[],
  offered: { tools: readonly string[]; guardrails: readonly string[] },
): string {
  const { name, display_name, prompt } = templateAgents[template];
  const { tools = [], input = [] } = parts[template];
  const spell = (number: number) => (number === 1 ? name : `${name}-${number}`);
  const known = tools.filter((tool) => offered.tools.includes(tool));
  const guardrails = input.filter((type) => offered.guardrails.includes(type));
  return textOfAgent({
    name: firstFreeName(spell, (one) => taken.includes(one), taken.length),
    display_name,
    step1: { model: "rehearsal/rehearsal" },
    step2: { system_prompt: prompt },
    ...(known.length > 0 && { step3: { tools: known } }),
    ...(guardrails.length > 0 && { step5: { input_guardrails: guardrails } }),
  });
}

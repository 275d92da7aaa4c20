import { firstFreeName } from "../../../contracts/free-name.ts";
import { textOfAgent } from "./org-manifest.ts";

export const orgTemplateNames = ["plain", "shop", "support", "writer"] as const;
export type OrgTemplateName = (typeof orgTemplateNames)[number];

interface OrgTemplate {
  name: string;
  display_name: string;
  prompt: string;
  tools?: string[];
  input?: string[];
}

const templates: Readonly<Record<OrgTemplateName, OrgTemplate>> = {
  plain: {
    name: "assistant",
    display_name: "Assistant",
    prompt: "You are a helpful assistant. Answer briefly.",
    tools: ["datetime_now"],
  },
  shop: {
    name: "shop-assistant",
    display_name: "Shop assistant",
    prompt: `You answer customers of our shop, briefly and kindly.

What you know about the shop:
- Opening hours: Monday to Saturday, 9 to 18 o'clock.
- Address: write it here.
- Delivery: write it here.

If you do not know an answer, say so, and offer that a person calls back.`,
    tools: ["datetime_now"],
    input: ["prompt_injection"],
  },
  support: {
    name: "support",
    display_name: "Support",
    prompt: `You help customers with our product. Ask for what you need to know, one question at a time.
Explain each step in a line of its own. Never promise refunds; a person decides on them.`,
    tools: ["datetime_now"],
    input: ["pii_detection", "prompt_injection"],
  },
  writer: {
    name: "writer",
    display_name: "Writer",
    prompt:
      "You write short, clear texts in the language of the request. Give the text alone, without remarks.",
  },
};

/** Returns the text of a new agent. It names only tools and guardrails that the cloud offers; the built-in model needs no key. */
export function orgTemplate(
  template: OrgTemplateName,
  taken: readonly string[],
  offered: { tools: readonly string[]; guardrails: readonly string[] },
): string {
  const { name, display_name, prompt, tools = [], input = [] } = templates[template];
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

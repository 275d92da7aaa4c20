import type { TemplateEngine } from "../../../prompts/template.ts";
import type { Message } from "../../model.ts";
import type { OnnxSettings } from "./onnx-settings.ts";

/** A conversation as one text for a model to continue. */
export interface ChatPrompt {
  text: string;
  /** Whether the tokenizer's own frame belongs around it; a template writes it itself. */
  special: boolean;
  /** Texts at which the answer is over, besides those that were asked for. */
  stops: readonly string[];
}

const TEMPLATE_LIMIT_MS = 1000;

/**
 * Writes a conversation down as the model's chat template says, or as lines of `role: text`. What stands in messages never becomes a
 * special token. Throws AppError `template_failed`.
 */
export async function chatPrompt(
  messages: readonly Message[],
  { chatTemplate, named, special }: OnnxSettings,
  templates: TemplateEngine,
): Promise<ChatPrompt> {
  const turns = messages.flatMap((message) => plainTurn(message, special));
  if (chatTemplate === undefined) {
    const lines = turns.map(({ role, content }) => `${role}: ${content}\n`);
    return { text: `${lines.join("")}assistant:`, special: true, stops: ["\nuser:", "\nsystem:"] };
  }
  const text = await templates.renderUntrusted(
    asTransformersReadsIt(chatTemplate),
    { ...named, messages: turns, add_generation_prompt: true },
    { timeLimitMs: TEMPLATE_LIMIT_MS },
  );
  return { text, special: false, stops: [] };
}

interface Turn {
  role: "system" | "user" | "assistant";
  content: string;
}

/** Calls of tools come from other models: this one is told what they gave. */
function plainTurn(message: Message, special: readonly string[]): Turn[] {
  const content = withoutSpecial(message.content, special);
  if (message.role !== "tool") return content === "" ? [] : [{ role: message.role, content }];
  return [{ role: "user", content: `${message.name} gave: ${content}` }];
}

/** A special token that somebody spells out in a message gets a space after its first character. */
function withoutSpecial(text: string, special: readonly string[]): string {
  return special.reduce(
    // A letter or two may be special somewhere; they are no way to forge a turn.
    (whole, token) => (token.length < 3 ? whole : whole.replaceAll(token, `${token[0]} ${token.slice(1)}`)),
    text,
  );
}

/** The library that these templates are written for drops the line break after a tag and the spaces before one, and marks answers. */
function asTransformersReadsIt(template: string): string {
  return template
    .replace(/^[ \t]+(?=\{[%#](?!\+))/gm, "")
    .replace(/([%#]\})\r?\n/g, "$1")
    .replace(/\{%-?\s*(?:end)?generation\s*-?%\}/g, "");
}

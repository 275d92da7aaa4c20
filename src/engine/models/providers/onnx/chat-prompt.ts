import type { TemplateEngine } from "../../../templates/template.ts";
import type { Message } from "../../model.ts";
import type { OnnxSettings } from "./onnx-settings.ts";

/** A conversation as one text that a model continues. */
export interface ChatPrompt {
  text: string;
  /** True if the tokenizer has to add its special tokens; a chat template writes them itself. */
  special: boolean;
  /** Texts that end the answer, in addition to requested ones. */
  stops: readonly string[];
}

const TEMPLATE_LIMIT_MS = 1000;

/**
 * Renders a conversation with the model's chat template, or as lines of `role: text`. Message content never becomes a special token. Throws
 * AppError `template_failed`.
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

/** Tool calls come from other models, so this model only receives their results, as user text. */
function plainTurn(message: Message, special: readonly string[]): Turn[] {
  const content = withoutSpecial(message.content, special);
  if (message.role !== "tool") return content === "" ? [] : [{ role: message.role, content }];
  return [{ role: "user", content: `${message.name} gave: ${content}` }];
}

/** Breaks up special tokens in a message with a space after the first character. */
function withoutSpecial(text: string, special: readonly string[]): string {
  return special.reduce(
    // Special tokens of one or two characters can't forge a turn.
    (whole, token) => (token.length < 3 ? whole : whole.replaceAll(token, `${token[0]} ${token.slice(1)}`)),
    text,
  );
}

/**
 * Adapts a template to the library it was written for, which drops the line break after a tag and the spaces before it, and marks answers.
 */
function asTransformersReadsIt(template: string): string {
  return template
    .replace(/^[ \t]+(?=\{[%#](?!\+))/gm, "")
    .replace(/([%#]\})\r?\n/g, "$1")
    .replace(/\{%-?\s*(?:end)?generation\s*-?%\}/g, "");
}

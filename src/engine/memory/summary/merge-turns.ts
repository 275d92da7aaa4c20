import { AppError } from "../../../kit/app-error.ts";
import { estimateTokens } from "../../models/token-count.ts";
import { type SummaryMatter, summarize } from "../../tools/summary/summarize.ts";
import type { ToolModel } from "../../tools/tool.ts";
import type { NumberedTurn } from "../conversation-archive.ts";

/** Largest part of one message that a model gets for summarizing, in characters: its beginning and its end. */
const messageCharsMax = 16_000;

/** Maximum characters merged at once. */
const batchCharsMax = 64_000;

const conversation: SummaryMatter = {
  text: "the record of a conversation between a user and an assistant: what is known of its beginning, then messages",
  keep: " Sum up all of it, its beginning too: what the user wants and told of themselves, what was found out, decided and promised, names, numbers and dates, and what is still open.",
};

/** The first of `turns` that are merged at once; at least one. */
export function batchOf(turns: readonly NumberedTurn[]): readonly NumberedTurn[] {
  let chars = 0;
  const over = turns.findIndex(({ content }) => {
    chars += Math.min(content.length, messageCharsMax);
    return chars > batchCharsMax;
  });
  return over === -1 ? turns : turns.slice(0, Math.max(1, over));
}

/** Merges `turns` into the summary so far, in at most `charsMax` characters. Throws AppError if the model returns no summary. */
export async function mergeTurns(
  before: string,
  turns: readonly NumberedTurn[],
  { charsMax, model, signal }: { charsMax: number; model: ToolModel; signal: AbortSignal },
): Promise<{ text: string; tokenCount: number }> {
  const parts = turns.map(
    ({ role, content }) => `${role === "user" ? "User" : "Assistant"}: ${shortened(content)}`,
  );
  if (before !== "") parts.unshift(`The conversation began like this: ${before}`);
  const made = await summarize(parts.join("\n\n"), charsMax, model, signal, conversation);
  if ("error" in made) throw new AppError("unprocessable", "summary_failed", made.error);
  return { text: made.summary, tokenCount: estimateTokens(made.summary) };
}

function shortened(content: string): string {
  if (content.length <= messageCharsMax) return content;
  const half = messageCharsMax / 2;
  return `${content.slice(0, half)}\n[…]\n${content.slice(-half)}`.toWellFormed();
}

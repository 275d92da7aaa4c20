import { Type } from "@sinclair/typebox";
import { summarize } from "../summary/summarize.ts";
import type { ToolResult } from "../tool.ts";
import { builtinTool } from "./builtin-tool.ts";

/** Shorter texts are returned unchanged. */
const textCharsMin = 500;

/** Summarizes a text with the agent's own models. */
export const textSummarize = builtinTool({
  name: "text_summarize",
  description: "Summarizes a long text in a few sentences.",
  hasNoEffects: true,
  docs: "Returns `{summary, was_summarized, original_length, summary_length}`, lengths in characters. A text of fewer than 500 characters comes back as it is with `was_summarized: false`. The models of the role `summarizer` of the agent do it, or its own; what they use counts into the run's tokens, limits and costs. A text that is longer than their window is summarized in parts, at most 64; several rounds if need be. A summary that is longer than `max_length` is cut at the end of a sentence. Executed directly it needs `agent`.",
  asksModel: true,
  parameters: Type.Object(
    {
      text: Type.String({ description: "The text.", maxLength: 2_000_000 }),
      max_length: Type.Integer({
        description: "Longest summary, in characters.",
        minimum: 20,
        maximum: 20_000,
        default: 500,
      }),
    },
    { additionalProperties: false },
  ),
  options: Type.Object({}, { additionalProperties: false }),
  describeCall: ({ text }) => ({ target: `a text of ${text.length} characters`, operation: "summarize" }),
  build() {
    return async ({ text, max_length }, { modelOf, signal }): Promise<ToolResult> => {
      if (text.length < textCharsMin) return summarized(text, text, false);
      const model = modelOf?.("summarizer");
      if (model === undefined) {
        return {
          success: false,
          error: "A text this long is summarized by an agent's model: name an agent that has text_summarize.",
        };
      }
      const result = await summarize(text, max_length, model, signal);
      return "error" in result
        ? { success: false, error: result.error }
        : summarized(text, result.summary, true);
    };
  },
});

function summarized(text: string, summary: string, was_summarized: boolean): ToolResult {
  const data = { summary, was_summarized, original_length: text.length, summary_length: summary.length };
  return { success: true, data };
}

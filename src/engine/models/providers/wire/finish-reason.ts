import type { FinishReason } from "../../model.ts";

/**
 * How an answer ended. `whole`: the model finished it. `cut`: a limit on its tokens ended it. `unclear`: the server gave no reason, or a
 * stop text ended it, perhaps within the arguments of a call.
 */
export type AnswerEnd = "whole" | "cut" | "unclear";

/*
 * Reasons of all vendors. Cut: "length"; "max_tokens" (Anthropic, Cohere, Gemini), "max_output_tokens", "model_length" (Mistral),
 * "model_context_window_exceeded" and "pause_turn" (Anthropic; the latter occurs only with tools that the vendor runs, which we don't offer),
 * "token_limit", "incomplete". Filtered: "content_filter", "safety", "refusal" (Anthropic), "ERROR_TOXIC" (Cohere), "prohibited_content",
 * "blocklist", "recitation" (Gemini), "guardrail_intervened" (Bedrock). A stop text: "stop_sequence"; OpenAI's "stop" also means the end.
 */
const cut = /length|max_?[a-z_]*tokens|context_window|token_limit|pause_turn|^incomplete$/i;
const filtered = /content_filter|safety|refusal|toxic|prohibited|blocklist|recitation|guardrail/i;
const stopText = /stop_sequence/i;

/** Reads the reason that a server gave for the end of an answer; `finish` is undefined for an ordinary end. */
export function readFinishReason(reason: unknown): { finish: FinishReason | undefined; end: AnswerEnd } {
  if (typeof reason !== "string") return { finish: undefined, end: "unclear" };
  if (cut.test(reason)) return { finish: "length", end: "cut" };
  if (filtered.test(reason)) return { finish: "content_filter", end: "cut" };
  return { finish: undefined, end: stopText.test(reason) ? "unclear" : "whole" };
}

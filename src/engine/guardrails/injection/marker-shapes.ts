import type { Work } from "../../../kit/concurrency/others-turn.ts";
import type { TextBudget } from "../text-budget.ts";
import type { Shape } from "./word-shapes.ts";

/** A mark that normally only software writes. The pattern is `g` and bounded, so that finding all matches is linear. */
interface Marker {
  name: string;
  weight: number;
  pattern: RegExp;
}

const markers: readonly Marker[] = [
  {
    name: "chat template",
    weight: 0.7,
    pattern:
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|end_of_text|begin_of_text|eot_id|start_header_id|end_header_id|channel|message)\|>|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>|<\/?s>\s?\[INST\]/g,
  },
  {
    name: "chat template",
    weight: 1,
    pattern:
      /<\|im_start\|>\s{0,4}system|<\|system\|>\s{0,4}\S|<<SYS>>\s{0,4}\S|<\|start_header_id\|>\s{0,4}system|<start_of_turn>\s{0,4}(?:model|user|system)/g,
  },
  {
    name: "role marker",
    weight: 0.5,
    pattern: /(?:^|\n)[ \t]{0,8}(?:#{1,4} {0,2}|\*{2})?(?:system|developer|assistant)(?:\*{2})? ?: /gi,
  },
  {
    name: "role marker",
    weight: 0.6,
    pattern:
      /<\/?(?:system|system_prompt|instructions|developer)>|\[(?:system|developer|admin)(?: message| override)?\]|#{2,4} ?(?:system prompt|new instructions?|system message)/gi,
  },
  {
    name: "role marker",
    weight: 1,
    pattern:
      /(?:^|\n|["'}\]>])[ \t]{0,8}(?:#{1,4} {0,2}|\*{2}|\[|<)?(?:system|developer|admin|root)(?:\*{2}|\]|>)? ?:? {0,2}(?:you are|you must|you will|you have|ignore|disregard|override|from now on|new instructions?|the user is|grant|disable|safety|switch to)\b/gi,
  },
  {
    name: "tool call",
    weight: 0.6,
    pattern:
      /<\/?(?:tool_call|function_calls?|tool_result|tool_response|function_results?|invoke)\b|"(?:tool_calls|function_call|tool_call)" {0,4}:|(?:^|\n)(?:Action Input|Observation|Tool Result|Function result) ?:/g,
  },
  {
    name: "tool call",
    weight: 1,
    pattern:
      /<(?:tool_call|function_calls?)>\s{0,8}(?:\{|<invoke)|"(?:tool_calls|function_call|tool_call)" {0,4}: {0,4}[[{]\s{0,8}[{"]|(?:^|\n)Action ?: ?\w{1,64}\s{1,8}Action Input ?:|"name" {0,4}: {0,4}"\w{1,64}" {0,4}, {0,4}"(?:arguments|parameters|input)" {0,4}: {0,4}[{"]/g,
  },
  {
    name: "page code",
    weight: 0.6,
    pattern: /<script\b|<iframe\b|javascript:|\bon(?:error|load) ?= ?["'a-z]/gi,
  },
  {
    name: "image that carries data",
    weight: 0.6,
    pattern: /<img[^>]{0,200}\bsrc ?= ?["']?https?:[^>\s]{0,200}[?&]\w{1,32}=/gi,
  },
  {
    name: "hidden comment",
    weight: 0.4,
    pattern: /<!--[^>]{0,200}\b(?:ai|assistant|llm|model|instructions?|prompt)\b/gi,
  },
];

const markdownImage = /!\[[^\]\n]{0,200}\]\(\s{0,4}(https?:\/\/[^)\s]{1,500})/g;

/** Marks of software in a text: chat templates, roles, tool calls, page code, and images that carry data away. */
export function* markerShapes(text: string, budget: TextBudget): Work<Shape[]> {
  const shapes: Shape[] = [];
  for (const { name, weight, pattern } of markers) {
    for (const { index } of yield* matchesIn(text, pattern, budget)) {
      shapes.push({ name, weight: isMentioned(text, index) ? weight / 2 : weight });
      if (shapes.length >= shapesMax) return shapes;
    }
  }
  for (const { address } of yield* matchesIn(text, markdownImage, budget)) {
    const weight = imageWeight(address);
    if (weight > 0) shapes.push({ name: "image that carries data", weight });
  }
  return shapes;
}

/** Characters that a pattern searches at once, and the characters after them that a match may reach into. */
const windowLength = 8192;
const reach = 1024;
/** Steps per character for one pattern. */
const patternSteps = 3;

/** First matches of a pattern. The search goes window by window with the same result as over the whole text. */
function* matchesIn(
  text: string,
  pattern: RegExp,
  budget: TextBudget,
): Work<{ index: number; address: string }[]> {
  const places: { index: number; address: string }[] = [];
  const search = new RegExp(pattern);
  let from = 0;
  for (let start = 0; start < text.length && places.length < shapesMax; start += windowLength) {
    const end = start + windowLength;
    if (budget.spend(Math.min(windowLength, text.length - start) * patternSteps)) yield;
    // The window includes the character before it for lookbehind; no match begins there.
    const before = Math.max(0, Math.max(start, from) - 1);
    const window = text.slice(before, end + reach);
    search.lastIndex = Math.max(start, from) - before;
    for (let match = search.exec(window); match !== null; match = search.exec(window)) {
      const index = before + match.index;
      if (index >= end || places.length >= shapesMax) break;
      places.push({ index, address: match[1] ?? "" });
      from = before + search.lastIndex;
    }
  }
  return places;
}

/** More matches would not change the result. */
const shapesMax = 1000;

/** Weight of an image address that contains data or a placeholder for data. */
function imageWeight(address: string): number {
  const query = address.slice(address.indexOf("?") + 1);
  if (!address.includes("?")) return 0;
  if (/=(?:[A-Z][A-Z_]{3,}|[{<[$%(]|%7B|YOUR)/.test(query)) return 1;
  return /(?:^|&)(?:d|data|leak|secret|token|payload|exfil|stolen|conversation|history|prompt|key)=/i.test(
    query,
  )
    ? 0.7
    : 0;
}

/** Returns true if a mark is only quoted or discussed. */
function isMentioned(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 60), start);
  if (/[`"'“‘]\s{0,2}$/.test(before) || /```[a-z]{0,12}\s{1,4}$/.test(before)) return true;
  return /\b(?:what (?:is|are|does|do)|means?|explain|does|token|tag|field|why|how (?:do|does|can|to))\b[^\n]{0,50}$/i.test(
    before,
  );
}

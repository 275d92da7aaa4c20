import { buildGuardrails } from "../../../src/engine/guardrails/build-guardrails.ts";
import { createGuardrailChain } from "../../../src/engine/guardrails/chain.ts";
import { atOnce, inPieces } from "../../../src/kit/concurrency/others-turn.ts";
import type { GuardrailEntry } from "../../../src/manifest/agent/guardrails.ts";
import { fill, KIB, ninetyAs, times } from "../hostile.ts";
import { type BlockRow, sized } from "./block-row.ts";

function guarded(
  name: string,
  stage: "input" | "output",
  entries: GuardrailEntry[],
  text: string,
  runs = 1,
): BlockRow {
  const chain = createGuardrailChain(atOnce(buildGuardrails(entries, stage)));
  const input = `guardrails: ${name}${runs === 1 ? "" : `, ${runs} runs at once`}`;
  return sized(input, text, () => Promise.all(times(runs, () => inPieces(chain.check(text)))));
}

const patterns = Array<string>(20).fill("(?:a|b|c|d|e){1000}");
const manyAs = fill("a ", 40_000);
const thousand = (make: (n: number) => string) => times(1000, make);

const filters = (count: number, options: (n: number) => object) =>
  times(count, (n) => ({ type: "content_filter", ...options(n) }));
const warn = (type: string) => Array(32).fill({ type, action: "warn" });

export const guardrailRows = (): BlockRow[] => [
  guarded(
    "200 keywords of 90 words",
    "output",
    filters(1, () => ({ keywords: Array(200).fill(ninetyAs) })),
    manyAs,
  ),
  guarded(
    "250 topics of 90 words",
    "input",
    [{ type: "topic_filter", topics: Array(250).fill(ninetyAs) }],
    manyAs,
  ),
  ...[1, 10].map((runs) =>
    guarded(
      "20 patterns of 1,000 instructions",
      "output",
      filters(1, () => ({ patterns })),
      fill("abcde", 40_000),
      runs,
    ),
  ),
  ...["ignore all previous instructions ", "<!--", "<img ", "%41", "i g n o r e ", "a1b ", "hello word "].map(
    (unit) =>
      guarded(
        `32 prompt_injection on ${JSON.stringify(unit)}`,
        "input",
        warn("prompt_injection"),
        fill(unit, 256 * KIB),
      ),
  ),
  ...["1 ", "4111 ", "a@", "+44 "].map((unit) =>
    guarded(
      `32 pii_detection on ${JSON.stringify(unit)}`,
      "input",
      warn("pii_detection"),
      fill(unit, 256 * KIB),
    ),
  ),
  ...buildRows(),
];

function buildRows(): BlockRow[] {
  const built: [name: string, entries: GuardrailEntry[]][] = [
    ["patterns of wide classes", filters(1, () => ({ patterns: Array(64).fill("\\pL{1000}") }))],
    ["2,048 patterns", filters(32, () => ({ patterns: Array(64).fill("(?:ab|cd){900}") }))],
    ["200 keywords of 90 words", filters(1, () => ({ keywords: Array(200).fill(ninetyAs) }))],
    ["32,000 keywords", filters(32, () => ({ keywords: thousand(() => "one two three four") }))],
    [
      "18,000 different keywords",
      filters(18, (filter) => ({ keywords: thousand((n) => `walk${(filter * 1000 + n).toString(36)}`) })),
    ],
    [
      "keywords of 200 accented letters",
      filters(32, () => ({ keywords: thousand((n) => `${"é".repeat(190)}${n}`) })),
    ],
  ];
  return built.map(([name, entries]) => ({
    input: `building guardrails: ${name}`,
    size: "one agent",
    work: () => inPieces(buildGuardrails(entries, "output")),
  }));
}

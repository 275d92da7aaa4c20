import type { Turn } from "../../../src/engine/memory/conversation.ts";
import { fitTurns, historyBudget, turnMessages } from "../../../src/engine/memory/memory-strategy.ts";
import { rehearse } from "../../../src/engine/models/providers/rehearsal/rehearse.ts";
import { finishToolCalls } from "../../../src/engine/models/providers/wire/tool-calls.ts";
import { estimateTokens } from "../../../src/engine/models/token-count.ts";
import { compileStructuredOutput } from "../../../src/engine/structured/structured-output.ts";
import { contentOf } from "../../../src/engine/tools/network/answer/answer-content.ts";
import { inPieces } from "../../../src/kit/concurrency/others-turn.ts";
import { readPlainJson } from "../../../src/kit/json/plain-json.ts";
import { writeJson } from "../../../src/kit/write-json.ts";
import { cityTools, fields, fill, KIB, MIB, objects, times } from "../hostile.ts";
import { type BlockRow, sized } from "./block-row.ts";

const query = 256 * KIB;

/** What servers that an attacker runs may answer. */
export const foreignRows = (): BlockRow[] => {
  const draft = (text: string) => [{ id: "c", name: "t", text }];
  const shaped = compileStructuredOutput(fields(299, { type: "string" }) as never, "spec.output_schema");
  const headers = new Headers({ "content-type": "application/json" });
  return [
    {
      input: "foreign JSON: a provider's answer",
      size: "16 MiB",
      work: () => inPieces(readPlainJson(objects(15 * MIB))),
    },
    {
      input: "foreign JSON: arguments of a tool call",
      size: "2 MiB",
      work: () => finishToolCalls(draft(`{"a":${objects(MIB)}}`), () => "id"),
    },
    {
      input: "foreign JSON: a tool's answer",
      size: "5 MiB",
      work: () => inPieces(contentOf({ body: new TextEncoder().encode(objects(4 * MIB)), headers })),
    },
    {
      input: "foreign JSON: blocks in an answer",
      size: "4 MiB",
      work: () => inPieces(shaped.read(fill(`\`\`\`json\n[${"1,".repeat(30_000)}\n\`\`\`\n`, 4 * MIB))),
    },
  ];
};

/** What one turn of a conversation brings: its history, the built-in model, and a recorded run for a child process. */
export const turnRows = (): BlockRow[] => {
  const turns = times(10_000, (n): Turn => {
    const content = fill("a é 政 ", 100);
    const role = n % 2 === 0 ? "user" : "assistant";
    return { role, content, at: new Date(0), tokenCount: estimateTokens(content), metadata: {} };
  });
  const history = turnMessages(turns);
  const prompt = fill("words of a prompt ", query);
  const tools = cityTools(128, 20, fill("find the orders of a customer by name and city ", 1000));
  const rehearsed = (text: string): BlockRow =>
    sized(`rehearsal: ${JSON.stringify(text.slice(0, 12))} and 128 tools`, text, () => {
      const messages = [...history.slice(0, 200), { role: "user", content: text }];
      return inPieces(rehearse({ messages, tools, toolChoice: "auto", stream: false } as never));
    });
  const entry = (n: number) => ({ seq: n, request: { messages: history.slice(0, 200) } });
  const cassette = { version: 1, entries: times(400, entry) };
  return [
    {
      input: "trimming a history to a context window",
      size: "10,000 turns",
      work: () => fitTurns(turns, historyBudget(200_000, 4000, [prompt, prompt], turns)),
    },
    ...["search orders of Berlin ", "a ", "1, ", '"x" and ', "what did I say? "].map((unit) =>
      rehearsed(fill(unit, query)),
    ),
    ...["in A", "city", "find orders", "search for", "name:", '"', "x is"].map((start) =>
      rehearsed(`${start}${fill(" ", query - 20)}b`),
    ),
    {
      input: "writing a recorded run for the child",
      size: "9 MiB",
      work: () => inPieces(writeJson({ cassette, strict: false })),
    },
  ];
};

/**
 * A server that an attacker runs: a model whose name says what it answers, and `/tool`, whose answer is 5 MiB of JSON. Prints its
 * URL when it listens.
 */
import { fill, MIB, objects, record } from "../hostile.ts";

const lists = (bytes: number) => `[${fill("1,", bytes)}1]`;

const texts: Record<string, string> = {
  fields: `\`\`\`json\n${JSON.stringify(record(299, (n) => [`field${n}`, "a"]))}\n\`\`\``,
  lists: `\`\`\`json\n${lists(MIB - 100)}\n\`\`\``,
  objects: `\`\`\`json\n${objects(MIB - 100)}\n\`\`\``,
  fences: fill("```json\n[1,\n```\n", MIB),
  long: fill("a b c d ", 4 * MIB),
};
const toolArguments: Record<string, string> = {
  "tool-lists": `{"a":${lists(4 * MIB)}}`,
  "tool-objects": `{"a":${objects(4 * MIB)}}`,
};

interface Message {
  role: string;
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  routes: {
    // A circuit belongs to an address, so each attack has one of its own.
    "/:attack/v1/chat/completions": {
      async POST(request) {
        const { model, stream, messages } = (await request.json()) as {
          model: string;
          stream?: boolean;
          messages: Message[];
        };
        const input = messages.at(-1)?.role === "tool" ? undefined : toolArguments[model];
        const call = { id: "call_1", type: "function", function: { name: "t0", arguments: input } };
        const message = input === undefined ? { content: texts[model] ?? "ok" } : { tool_calls: [call] };
        if (model === "slow") await Bun.sleep(1_000);
        if (model === "broken") return new Response("broken", { status: 500 });
        if (model === "junk") return new Response(`{"choices":[],"junk":${objects(15 * MIB)}}`, json);
        if (stream) return new Response(chunksOf(input === undefined ? message : streamed(call)), events);
        return Response.json({
          choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        });
      },
    },
    "/tool": () => new Response(objects(5 * MIB - 100), json),
  },
});
console.log(server.url.origin);

const json = { headers: { "content-type": "application/json" } };
const events = { headers: { "content-type": "text/event-stream" } };

function streamed(call: object) {
  return { tool_calls: [{ index: 0, ...call }] };
}

function chunksOf(delta: object): string {
  const frame = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
  return `${frame({ delta: { role: "assistant", ...delta } })}${frame({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`;
}

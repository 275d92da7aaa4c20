/**
 * Model servers that think before they call a tool, and refuse the tool's result without the thoughts. Written from the vendors' documents:
 * api-docs.deepseek.com, "Thinking Mode" (`/deepseek`); platform.claude.com, "Extended thinking" (`/claude`); ai.google.dev, "Thought
 * signatures" in OpenAI's format (`/gemini`); openrouter.ai, "Reasoning Tokens" (`/router`).
 */
export interface ThinkingServer {
  url: string;
  stop(): void;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of several protocols.
type Body = any;

const sse = (events: readonly object[]) =>
  new Response(
    [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), "data: [DONE]\n\n"].join(""),
    {
      headers: { "content-type": "text/event-stream" },
    },
  );

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** An answer in OpenAI's format: whole, or in a stream that sends the parts one by one. */
function openAi(stream: boolean, parts: readonly Record<string, unknown>[], finish: string): Response {
  if (stream) {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      id: "c",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    });
    const deltas = parts.map((part) => chunk(part));
    return sse([...deltas, chunk({}, finish), { choices: [], usage }]);
  }
  const message: Body = { role: "assistant", content: null };
  for (const part of parts)
    for (const [field, value] of Object.entries(part))
      message[field] = Array.isArray(message[field]) ? [...message[field], ...(value as unknown[])] : value;
  return Response.json({ id: "c", choices: [{ index: 0, message, finish_reason: finish }], usage });
}

const call = (extra: object = {}) => ({
  tool_calls: [
    {
      index: 0,
      id: "call_0",
      type: "function",
      function: { name: "weather", arguments: '{"city":"Paris"}' },
      ...extra,
    },
  ],
});

const refused = (message: string) =>
  Response.json({ error: { message, type: "invalid_request_error" } }, { status: 400 });

interface Vendor {
  parts: readonly Record<string, unknown>[];
  /** What is wrong with a turn that called tools. */
  fault(turn: Body): string | undefined;
}

const signature = { google: { thought_signature: "c2lnbmVk" } };
const detail = { type: "reasoning.text", format: "x", index: 0 };

const vendors: Record<string, Vendor> = {
  deepseek: {
    parts: [{ reasoning_content: "Look it up." }, call()],
    fault: ({ reasoning_content }) =>
      reasoning_content === "Look it up."
        ? undefined
        : "The `reasoning_content` in the thinking mode must be passed back to the API.",
  },
  gemini: {
    parts: [call({ extra_content: signature })],
    fault: ({ tool_calls: [first] }) =>
      Bun.deepEquals(first.extra_content, signature)
        ? undefined
        : "Function call is missing a thought_signature in functionCall parts.",
  },
  router: {
    parts: [
      { reasoning: "Look it up.", reasoning_details: [{ ...detail, text: "Look it " }] },
      { reasoning_details: [{ ...detail, text: "up." }] },
      { reasoning_details: [{ ...detail, signature: "signed" }] },
      call(),
    ],
    fault: ({ reasoning_details: details = [] }) =>
      details.map(({ text = "" }: Body) => text).join("") === "Look it up." &&
      details.at(-1)?.signature === "signed"
        ? undefined
        : "The reasoning details are missing.",
  },
};

function openAiAnswer({ parts, fault }: Vendor, { messages, stream = false }: Body): Response {
  for (const message of messages) {
    const found = message.role === "assistant" && message.tool_calls ? fault(message) : undefined;
    if (found !== undefined) return refused(found);
  }
  return messages.at(-1).role === "tool"
    ? openAi(stream, [{ content: "It is sunny." }], "stop")
    : openAi(stream, parts, "tool_calls");
}

const thinking = { type: "thinking", thinking: "Look it up.", signature: "EqQBsigned" };
const redacted = { type: "redacted_thinking", data: "EmwKhidden" };
const use = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Paris" } };

function claudeAnswer({ messages, stream }: Body): Response {
  for (const { role, content } of messages) {
    if (role !== "assistant" || !content.some(({ type }: Body) => type === "tool_use")) continue;
    if (!Bun.deepEquals(content.slice(0, 2), [thinking, redacted]))
      return Response.json(
        {
          type: "error",
          error: {
            type: "invalid_request_error",
            message: "Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
          },
        },
        { status: 400 },
      );
  }
  const isLast = messages.at(-1).content.some(({ type }: Body) => type === "tool_result");
  const content = isLast ? [{ type: "text", text: "It is sunny." }] : [thinking, redacted, use];
  const stop_reason = isLast ? "end_turn" : "tool_use";
  const head = { id: "m", type: "message", role: "assistant", usage: { input_tokens: 10, output_tokens: 5 } };
  if (stream !== true) return Response.json({ ...head, content, stop_reason });
  const blocks = content.flatMap((block: Body, index) => [
    { type: "content_block_start", index, content_block: { ...block, ...opened(block) } },
    ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);
  return sse([
    { type: "message_start", message: { ...head, content: [] } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ]);
}

const opened = ({ type }: Body) =>
  ({ text: { text: "" }, thinking: { thinking: "", signature: "" }, tool_use: { input: {} } })[
    type as string
  ];

function deltasOf({ type, text, thinking: thought, signature: signed, input }: Body): object[] {
  if (type === "text") return [{ type: "text_delta", text }];
  if (type === "tool_use") return [{ type: "input_json_delta", partial_json: JSON.stringify(input) }];
  if (type !== "thinking") return [];
  return [
    { type: "thinking_delta", thinking: thought },
    { type: "signature_delta", signature: signed },
  ];
}

export function startThinkingServer(): ThinkingServer {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const name = new URL(request.url).pathname.split("/")[1] ?? "";
      if (request.method !== "POST") return Response.json({ data: [] });
      const body = await request.json();
      const vendor = vendors[name];
      return vendor === undefined ? claudeAnswer(body) : openAiAnswer(vendor, body);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => void server.stop(true) };
}

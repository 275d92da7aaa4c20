import { argumentsText, inPieces, type VendorAnswer, type VendorWire } from "./vendor-server.ts";

/**
 * Anthropic's Messages API, written from platform.claude.com: "Create a Message", "Streaming messages", "Thinking", "Stop
 * reasons", "Prompt caching" (the three counts of `usage`) and "List Models".
 */
export const anthropicWire: VendorWire = {
  chatPath: "/v1/messages",
  listPath: "/v1/models?limit=1000",
  list: { data: [{ type: "model", id: "claude-a", display_name: "A" }], has_more: false },
  streamType: "text/event-stream; charset=utf-8",

  events(answer) {
    const event = (type: string, fields: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
    const input = answer.usage === null ? undefined : (answer.usage ?? { input: 10 }).input;
    const output = answer.usage === null ? undefined : (answer.usage ?? { output: 5 }).output;
    const finish = finishOf(answer);
    const message = { ...head, content: [], stop_reason: null, stop_sequence: null };
    const blocks = blocksOf(answer).flatMap(({ block, deltas }, index) => [
      event("content_block_start", { index, content_block: block }),
      ...(index === 0 ? [event("ping", {})] : []),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ]);
    return [
      event("message_start", {
        message: {
          ...message,
          ...(input !== undefined && { usage: { input_tokens: input, output_tokens: 1 } }),
        },
      }),
      ...blocks,
      ...(finish === null
        ? []
        : [
            event("message_delta", {
              delta: { stop_reason: finish, stop_sequence: null },
              ...(output !== undefined && { usage: { output_tokens: output } }),
            }),
          ]),
      event("message_stop", {}),
    ];
  },

  whole(answer) {
    const { input, output } = answer.usage ?? { input: 10, output: 5 };
    return {
      ...head,
      content: blocksOf(answer).map(({ whole }) => whole),
      stop_reason: finishOf(answer),
      stop_sequence: null,
      ...(answer.usage !== null && { usage: { input_tokens: input, output_tokens: output } }),
    };
  },
};

const head = { id: "msg_01", type: "message", role: "assistant", model: "claude-a" };

const finishOf = ({ finish, calls }: VendorAnswer) =>
  finish === undefined ? (calls ? "tool_use" : "end_turn") : finish;

interface Block {
  block: object;
  deltas: object[];
  whole: object;
}

function blocksOf({ thinking, text, calls = [] }: VendorAnswer): Block[] {
  const blocks: Block[] = [];
  if (thinking !== undefined) {
    const signature = `signed:${thinking.length}`;
    blocks.push({
      block: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        ...inPieces(thinking, 8).map((piece) => ({ type: "thinking_delta", thinking: piece })),
        { type: "signature_delta", signature },
      ],
      whole: { type: "thinking", thinking, signature },
    });
  }
  if (text) {
    blocks.push({
      block: { type: "text", text: "" },
      deltas: text.map((piece) => ({ type: "text_delta", text: piece })),
      whole: { type: "text", text: text.join("") },
    });
  }
  for (const [at, call] of calls.entries()) {
    const about = { type: "tool_use", id: call.id ?? `toolu_${at}`, name: call.name };
    blocks.push({
      block: { ...about, input: {} },
      deltas: ["", ...inPieces(argumentsText(call.arguments), 16 * 1024)].map((piece) => ({
        type: "input_json_delta",
        partial_json: piece,
      })),
      whole: { ...about, input: call.arguments },
    });
  }
  return blocks;
}

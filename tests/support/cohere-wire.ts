import { argumentsText, inPieces, type VendorAnswer, type VendorWire } from "./vendor-server.ts";

/**
 * Cohere's Chat API, version 2, written from docs.cohere.com: "Chat", "Chat with Streaming", "A Guide to Streaming Responses", "Streaming
 * for tool use", "Reasoning" and "List Models". Thoughts become `thinking` content in answers without calls, and the `tool_plan` in those
 * with calls.
 */
export const cohereWire: VendorWire = {
  chatPath: "/v2/chat",
  listPath: "/v1/models?endpoint=chat&page_size=1000",
  list: { models: [{ name: "command-a", endpoints: ["chat"] }], next_page_token: "" },
  streamType: "text/event-stream",

  events(answer) {
    const event = (type: string, fields: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
    const part = (type: string, index: number, message: object) => event(type, { index, delta: { message } });
    const contents = contentsOf(answer).flatMap(({ type, key, pieces }, index) => [
      part("content-start", index, { content: { type, [key]: "" } }),
      ...pieces.map((piece) => part("content-delta", index, { content: { [key]: piece } })),
      event("content-end", { index }),
    ]);
    const plan = planOf(answer).map((piece) =>
      event("tool-plan-delta", { delta: { message: { tool_plan: piece } } }),
    );
    const calls = callsOf(answer).flatMap((call, index) => [
      part("tool-call-start", index, {
        tool_calls: { ...call, function: { ...call.function, arguments: "" } },
      }),
      ...inPieces(call.function.arguments, 16 * 1024).map((piece) =>
        part("tool-call-delta", index, { tool_calls: { function: { arguments: piece } } }),
      ),
      event("tool-call-end", { index }),
    ]);
    const finish = finishOf(answer);
    return [
      event("message-start", {
        id: "m",
        delta: { message: { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] } },
      }),
      ...plan,
      ...contents,
      ...calls,
      ...(finish === null
        ? []
        : [event("message-end", { delta: { finish_reason: finish, ...usageOf(answer) } })]),
    ];
  },

  whole(answer) {
    const calls = callsOf(answer);
    return {
      id: "m",
      message: {
        role: "assistant",
        ...(answer.text || !calls.length
          ? { content: contentsOf(answer).map(({ type, key, pieces }) => ({ type, [key]: pieces.join("") })) }
          : {}),
        ...(calls.length > 0 && { tool_plan: planOf(answer).join(""), tool_calls: calls }),
      },
      ...(finishOf(answer) !== null && { finish_reason: finishOf(answer) }),
      ...usageOf(answer),
    };
  },
};

const finishOf = ({ finish, calls }: VendorAnswer) =>
  finish === undefined ? (calls ? "TOOL_CALL" : "COMPLETE") : finish;

function contentsOf({ thinking, text, calls }: VendorAnswer) {
  return [
    ...(thinking !== undefined && !calls
      ? [{ type: "thinking", key: "thinking", pieces: inPieces(thinking, 8) }]
      : []),
    ...(text ? [{ type: "text", key: "text", pieces: text }] : []),
  ];
}

function planOf({ thinking, calls }: VendorAnswer): string[] {
  return thinking !== undefined && calls ? inPieces(thinking, 8) : [];
}

function callsOf({ calls = [] }: VendorAnswer) {
  return calls.map((call, at) => ({
    id: call.id ?? `${call.name}_${at}`,
    type: "function",
    function: { name: call.name, arguments: argumentsText(call.arguments) },
  }));
}

function usageOf({ usage }: VendorAnswer): object {
  if (usage === null) return {};
  const { input, output } = usage ?? { input: 10, output: 5 };
  return {
    usage: {
      billed_units: { input_tokens: input, output_tokens: output },
      tokens: { input_tokens: input + 800, output_tokens: output + 50 },
    },
  };
}

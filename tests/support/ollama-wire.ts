import type { VendorAnswer, VendorWire } from "./vendor-server.ts";

/**
 * Ollama's own API, written from docs.ollama.com: "Chat", "Streaming", "Tool calling", "Thinking", "Usage", "List models". Calls are
 * complete and have no ids, as on older servers; a call with an id is sent with it.
 */
export const ollamaWire: VendorWire = {
  chatPath: "/api/chat",
  listPath: "/api/tags",
  list: { models: [{ name: "llama3.2:latest", model: "llama3.2:latest", size: 1 }] },
  streamType: "application/x-ndjson",

  events(answer) {
    const line = (fields: object) => `${JSON.stringify({ ...head, ...fields })}\n`;
    const said = (message: object) => line({ message: { role: "assistant", ...message }, done: false });
    const { thinking, text = [], calls } = answer;
    return [
      ...(thinking === undefined ? [] : [said({ content: "", thinking })]),
      ...text.map((content) => said({ content })),
      ...(calls ? callsOf(answer).map((call) => said({ content: "", tool_calls: [call] })) : []),
      line({ message: { role: "assistant", content: "" }, ...endOf(answer) }),
    ];
  },

  whole(answer) {
    const { thinking, text = [], calls } = answer;
    return {
      ...head,
      message: {
        role: "assistant",
        content: text.join(""),
        ...(thinking !== undefined && { thinking }),
        ...(calls && { tool_calls: callsOf(answer) }),
      },
      ...endOf(answer),
    };
  },
};

const head = { model: "llama3.2", created_at: "2026-01-01T00:00:00.000000Z" };

function callsOf({ calls = [] }: VendorAnswer): object[] {
  return calls.map(({ id, name, arguments: input }, index) => ({
    ...(id !== undefined && { id }),
    function: { index, name, arguments: input },
  }));
}

function endOf({ finish, usage }: VendorAnswer): object {
  const { input, output } = usage ?? { input: 10, output: 5 };
  return {
    done: true,
    ...(finish !== null && { done_reason: finish ?? "stop" }),
    total_duration: 174_560_334,
    ...(usage !== null && { prompt_eval_count: input, eval_count: output }),
  };
}

/** The model calls of a run. The two bare ceilings do nothing else: no memory, guardrail, template or trace. */
import { type AgentName, agents, modelUrl, systemPrompt } from "./workload.ts";

export const tools = [
  {
    type: "function",
    function: {
      name: "datetime_now",
      description: "The present date and time",
      parameters: { type: "object", properties: {} },
    },
  },
];

interface Completion {
  choices: [{ message: { content: string | null; tool_calls?: { id: string }[] } }];
  usage: { prompt_tokens: number; completion_tokens: number };
}

export const callModel = (body: object) =>
  fetch(`${modelUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer bench" },
    body: JSON.stringify(body),
  });

const opening = (query: string): object[] => [
  { role: "system", content: systemPrompt },
  { role: "user", content: query },
];

/** Runs an agent: one model call, or two around a tool call. */
export async function run(name: AgentName, query: string) {
  const { model, usesTool } = agents[name];
  const messages = opening(query);
  for (;;) {
    const answer = await callModel({ model, messages, ...(usesTool ? { tools } : {}) });
    const { choices, usage } = (await answer.json()) as Completion;
    const { message } = choices[0];
    if (!message.tool_calls) return { response: message.content ?? "", usage };
    messages.push(message);
    for (const { id } of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: id, content: new Date().toISOString() });
  }
}

/** Streams one answer: yields the tokens that each network chunk completes. */
export const streamTokens = (name: AgentName, query: string) =>
  readTokens({ model: agents[name].model, messages: opening(query) });

/** The tokens of one streamed model call. */
export async function* readTokens(body: object): AsyncGenerator<string[]> {
  const answer = await callModel({ ...body, stream: true, stream_options: { include_usage: true } });
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of answer.body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    const tokens: string[] = [];
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      const event = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] };
      const token = event.choices[0]?.delta.content;
      if (token) tokens.push(token);
    }
    if (tokens.length > 0) yield tokens;
  }
}

export const tokenFrame = (content: string) => `{"type":"token","content":${JSON.stringify(content)}}`;
export const doneFrame = '{"type":"done"}';

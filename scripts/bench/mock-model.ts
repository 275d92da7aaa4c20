/**
 * A fast OpenAI-compatible model without any computation. It answers with a tool call if tools are offered and the last message is the
 * user's, otherwise with a fixed text. The model's name sets its pace: `mock?latency=20&tokens=100&token_ms=10`.
 *
 * Streams write each token to the socket separately, like a vendor. `GET /stats` counts the calls.
 */
import { directStream } from "./direct-stream.ts";
import { answerText, ports, words } from "./workload.ts";

interface Pace {
  /** Delay before an answer, or its first byte, in ms. */
  latency: number;
  /** Number of content pieces of a streamed text. */
  tokens: number;
  /** Delay between two pieces; 0 is as fast as the socket accepts them. */
  token_ms: number;
}

interface ChatRequest {
  model: string;
  stream?: boolean;
  messages: { role: string }[];
  tools?: { function: { name: string } }[];
}

const wholeText = answerText(64);
const usageOf = (completion: number) => ({
  prompt_tokens: 256,
  completion_tokens: completion,
  total_tokens: 256 + completion,
});

const paces = new Map<string, Pace>();
function paceOf(model: string): Pace {
  const known = paces.get(model);
  if (known) return known;
  const said = new URLSearchParams(model.split("?")[1] ?? "");
  const pace = {
    latency: Number(said.get("latency") ?? 0),
    tokens: Number(said.get("tokens") ?? 500),
    token_ms: Number(said.get("token_ms") ?? 0),
  };
  paces.set(model, pace);
  return pace;
}

let calls = 0;

const server = Bun.serve({
  port: ports.model,
  hostname: "127.0.0.1",
  idleTimeout: 60,
  routes: {
    "/stats": () => Response.json({ calls }),
    "/v1/models": () => Response.json({ object: "list", data: [{ id: "mock", object: "model" }] }),
    "/v1/chat/completions": { POST: answer },
  },
});
console.log(`mock model on ${server.url}v1`);

async function answer(request: Request): Promise<Response> {
  const body = (await request.json()) as ChatRequest;
  const id = (++calls).toString(36);
  const pace = paceOf(body.model);
  if (pace.latency > 0) await Bun.sleep(pace.latency);
  const tool = body.messages.at(-1)?.role === "user" ? body.tools?.[0]?.function.name : undefined;
  if (body.stream)
    return stream(tool ? toolFrames(body.model, id, tool) : textFrames(body.model, id, pace), pace);

  const message = tool
    ? { role: "assistant", content: null, tool_calls: [toolCall(id, tool)] }
    : { role: "assistant", content: wholeText };
  return Response.json({
    ...head(body.model, id, "chat.completion"),
    choices: [{ index: 0, message, finish_reason: tool ? "tool_calls" : "stop" }],
    usage: usageOf(tool ? 12 : 64),
  });
}

const head = (model: string, id: string, object: string) => ({
  id: `chatcmpl-${id}`,
  created: 1_700_000_000,
  object,
  model,
});
const toolCall = (id: string, name: string) => ({
  id: `call_${id}`,
  type: "function",
  function: { name, arguments: "{}" },
});

const frame = (model: string, id: string, rest: object) =>
  `data: ${JSON.stringify({ ...head(model, id, "chat.completion.chunk"), ...rest })}\n\n`;
const delta = (content: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: content, finish_reason: finish }],
});

function toolFrames(model: string, id: string, name: string): string[] {
  return [
    frame(
      model,
      id,
      delta({ role: "assistant", content: null, tool_calls: [{ index: 0, ...toolCall(id, name) }] }),
    ),
    frame(model, id, delta({}, "tool_calls")),
    `${frame(model, id, { choices: [], usage: usageOf(12) })}data: [DONE]\n\n`,
  ];
}

/** Frames cached per model: only the id differs between two answers, and the mock must cost next to nothing. */
const texts = new Map<string, string[]>();
function textFrames(model: string, id: string, pace: Pace): string[] {
  let frames = texts.get(model);
  if (!frames) {
    frames = [
      frame(model, "?", delta({ role: "assistant", content: "" })),
      ...Array.from({ length: pace.tokens }, (_, at) =>
        frame(model, "?", delta({ content: words[at % words.length] })),
      ),
      frame(model, "?", delta({}, "stop")),
      `${frame(model, "?", { choices: [], usage: usageOf(pace.tokens) })}data: [DONE]\n\n`,
    ];
    texts.set(model, frames);
  }
  return frames.map((text) => text.replace("chatcmpl-?", `chatcmpl-${id}`));
}

function stream(frames: readonly string[], pace: Pace): Response {
  const body = directStream(async (controller) => {
    for (const text of frames) {
      controller.write(text);
      await controller.flush();
      if (pace.token_ms > 0) await Bun.sleep(pace.token_ms);
    }
    controller.close();
  });
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}

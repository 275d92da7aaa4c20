import { expect, test } from "bun:test";
import { createTranscriber } from "../../../src/compose/gateway/transcriber.ts";
import { resolveBySystem } from "../../../src/engine/tools/network/address/address-resolver.ts";
import { createGuardedNetwork } from "../../../src/engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../../src/engine/tools/network/direct-connection.ts";
import { systemClock as clock } from "../../../src/kit/clock.ts";

const network = createGuardedNetwork({
  clock,
  connect: createDirectConnections(clock),
  resolve: resolveBySystem,
  opened: { hosts: new Set(), ranges: [] },
});

/** A server of a model on this machine that gives one answer. */
function startModel(answer: () => Response) {
  const seen: { path: string; authorization: string | null; form: FormData }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      seen.push({
        path,
        authorization: request.headers.get("authorization"),
        form: await request.formData(),
      });
      return answer();
    },
  });
  const url = `http://127.0.0.1:${server.port}/v1`;
  const transcribe = (key?: string) =>
    createTranscriber(network, { url, model: "whisper-1", ...(key !== undefined && { key }) }).transcribe(
      { bytes: new TextEncoder().encode("OggS voice"), mimeType: "audio/ogg; codecs=opus", fileName: null },
      new AbortController().signal,
    );
  return { seen, transcribe, [Symbol.asyncDispose]: () => server.stop(true) };
}

test("sends the file as OpenAI's API takes it, and reads the text and the length", async () => {
  await using model = startModel(() =>
    Response.json({ text: "Hola", usage: { type: "duration", seconds: 3 } }),
  );
  expect(await model.transcribe("sk-key")).toEqual({ text: "Hola", audioMs: 3_000 });
  const [call] = model.seen;
  expect([call?.path, call?.authorization, call?.form.get("model")]).toEqual([
    "/v1/audio/transcriptions",
    "Bearer sk-key",
    "whisper-1",
  ]);
  const file = call?.form.get("file");
  if (!(file instanceof File)) throw new Error("There is no file.");
  expect([file.name, file.type, await file.text()]).toEqual(["voice.ogg", "audio/ogg", "OggS voice"]);
});

test.each([
  [() => new Response("no", { status: 400 }), "invalid", "transcription_400"],
  [() => new Response("no", { status: 401 }), "invalid", "transcription_401"],
  [() => new Response("slow down", { status: 429 }), "upstream_failed", "transcription_429"],
  [() => new Response("down", { status: 503 }), "upstream_failed", "transcription_503"],
  [() => new Response("<html>"), "upstream_failed", "transcription_unreadable"],
  [() => Response.json({ text: 5 }), "upstream_failed", "transcription_unreadable"],
  [() => Response.redirect("http://example.com/", 302), "upstream_failed", "transcription_302"],
] as const)("an answer without a text is a fault: %#", async (answer, kind, code) => {
  await using model = startModel(answer);
  expect(model.transcribe()).rejects.toMatchObject({ kind, code });
});

test("a text is cut, and a length that is none is unknown", async () => {
  await using model = startModel(() => Response.json({ text: "a".repeat(40_000), duration: -1 }));
  const { text, audioMs } = await model.transcribe();
  expect([text.length <= 32 * 1024, audioMs]).toEqual([true, undefined]);
});

import { expect, test } from "bun:test";
import { AppError } from "../../../src/kit/app-error.ts";
import { fetchFiles } from "../../../src/services/gateway/media/fetch-files.ts";
import { type Transcriber, transcribeFiles } from "../../../src/services/gateway/transcripts/transcribe.ts";
import { processAll } from "../../support/gateway.ts";
import { startDesk } from "../../support/gateway-desk.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

type Answer = { text: string; audioMs: number | undefined } | AppError;

/** A desk whose voice messages are transcribed with the answers, one after the other. */
async function startVoices(engine: Parameters<typeof startDesk>[0], answers: Answer[], isConfigured = true) {
  const asked: string[] = [];
  const transcriber: Transcriber = {
    async transcribe({ bytes, mimeType }) {
      asked.push(`${mimeType} ${Buffer.from(bytes).toString("latin1").slice(0, 4)}`);
      const answer = answers.shift() ?? { text: "", audioMs: undefined };
      if (answer instanceof AppError) throw answer;
      return answer;
    },
  };
  const desk = await startDesk(engine);
  const { gateway, client } = desk;
  if (isConfigured) gateway.deps.transcriber = transcriber;
  const transcribed: [string, number][] = [];
  const fetched = async () => {
    const { signal } = new AbortController();
    await fetchFiles(gateway.deps, signal);
    await transcribeFiles(
      { ...gateway.deps, transcribed: (outcome, audioMs) => transcribed.push([outcome, audioMs]) },
      signal,
    );
  };
  const bytes = Buffer.concat([Buffer.from("OggS"), new Uint8Array(60), Buffer.from("OpusHead")]);
  const speak = async () => {
    const { id } = await client.uploadMedia({ bytes, contentType: "audio/ogg", tenantId: "a" });
    await client.emulateInbound({
      cuenta: "PN1",
      desde: "+34600000001",
      texto: "Listen",
      media: [{ kind: "audio", id, mime_type: "audio/ogg" }],
    });
  };
  const media = async () => {
    const { messages } = await client.listMessages((await desk.only()).id);
    return messages.flatMap((message) => message.media);
  };
  return { ...desk, speak, fetched, media, asked, transcribed };
}

onEachEngine("transcripts of voice messages", (engine) => {
  test("reach the run, the desk, the search and the reports; the run waits for them", async () => {
    const voices = await startVoices(engine, [{ text: " Where is my parcel? ", audioMs: 4_000 }]);
    const { gateway, client, speak, fetched, media, only } = voices;
    await using _ = gateway;
    await speak();
    await processAll(gateway);
    expect(gateway.platform.runs).toEqual([]);
    await fetched();
    await gateway.clock.advance(500);
    await processAll(gateway);
    expect(gateway.platform.runs[0]?.request.query).toBe("Listen\n[audio] Where is my parcel?");
    expect(gateway.platform.runs[0]?.request.context?.media).toMatchObject([
      { kind: "audio", transcript: "Where is my parcel?" },
    ]);
    expect(await media()).toMatchObject([{ kind: "audio", transcript: "Where is my parcel?" }]);
    expect((await client.listConversations({ q: "parcel" })).total).toBe(1);
    expect((await client.report({ tenant: "a" })).total.transcription).toEqual({ count: 1, seconds: 4 });
    expect([voices.asked, voices.transcribed]).toEqual([["audio/ogg OggS"], [["done", 4_000]]]);
    // Nothing is transcribed twice.
    await fetched();
    expect(voices.asked).toHaveLength(1);
    expect((await only()).mode).toBe("bot");
  });

  test("that fail for good leave the file, say so to the agent and the desk, and are not asked for again", async () => {
    const refusal = new AppError("invalid", "transcription_400", "No.");
    const voices = await startVoices(engine, [refusal]);
    const { gateway, client, speak, fetched, media } = voices;
    await using _ = gateway;
    await speak();
    await processAll(gateway);
    await fetched();
    await gateway.clock.advance(500);
    await processAll(gateway);
    expect(gateway.platform.runs[0]?.request.query).toBe("Listen\n[audio, not transcribed]");
    const [file] = await media();
    expect(file).toMatchObject({ transcript_error: "transcription_400" });
    expect((await client.getMedia(file?.id ?? "")).status).toBe(200);
    await gateway.clock.advance(60_000);
    await fetched();
    expect(voices.asked).toHaveLength(1);
    expect(voices.transcribed).toEqual([["failed", 0]]);
  });

  test("are tried three times after outages; a person who holds the conversation sees them too", async () => {
    const outage = () => new AppError("upstream_failed", "transcription_503", "Down.");
    const voices = await startVoices(engine, [outage(), outage(), { text: "Hello", audioMs: undefined }]);
    const { gateway, write, as, only, speak, fetched, media } = voices;
    await using _ = gateway;
    await write("+34600000001", "hi");
    await as("Ana").takeOver((await only()).id);
    await speak();
    await processAll(gateway);
    for (const waitMs of [0, 2_000, 10_000]) {
      await gateway.clock.advance(waitMs);
      await fetched();
    }
    expect(await media()).toMatchObject([{ transcript: "Hello" }]);
    expect(voices.asked).toHaveLength(3);
    // The agent is told what was said without it.
    await as("Ana").release((await only()).id);
    await gateway.clock.advance(500);
    await processAll(gateway);
    expect(gateway.platform.runs.at(-1)?.request.query).toBe("Listen\n[audio] Hello");
  });

  test("that take over a minute are not waited for", async () => {
    const voices = await startVoices(engine, []);
    const { gateway, speak } = voices;
    await using _ = gateway;
    await speak();
    await processAll(gateway);
    await gateway.clock.advance(60_000);
    await processAll(gateway);
    expect(gateway.platform.runs[0]?.request.query).toBe("Listen\n[audio, not transcribed]");
  });

  test("are not made without a model: the file is named as before", async () => {
    const voices = await startVoices(engine, [], false);
    const { gateway, speak, fetched, media } = voices;
    await using _ = gateway;
    await speak();
    await processAll(gateway);
    await fetched();
    expect(gateway.platform.runs[0]?.request.query).toBe("Listen\n[audio: audio/ogg]");
    expect((await media())[0]?.transcript_error).toBeUndefined();
    expect(voices.asked).toEqual([]);
  });
});

import { randomBytes } from "node:crypto";
import type { GuardedNetwork } from "../../engine/tools/network/guarded-network.ts";
import { AppError } from "../../kit/app-error.ts";
import { isRecord } from "../../kit/json/is-record.ts";
import { cutText } from "../../kit/text/cut-text.ts";
import type { Transcriber } from "../../services/gateway/transcripts/transcribe.ts";
import type { TranscriptionConfig } from "../settings/gateway-settings.ts";

const timeoutMs = 60_000;
const answerBytesMax = 1024 * 1024;
const textCharsMax = 32 * 1024;

/** Endings by which the model's server tells the kinds of audio apart; a voice message has no name. */
const endings: Readonly<Record<string, string>> = {
  "audio/ogg": "ogg",
  "audio/opus": "ogg",
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
  "audio/aac": "m4a",
  "audio/amr": "amr",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/webm": "webm",
  "audio/flac": "flac",
};

/** Transcribes by the API of OpenAI, which most servers of such models have. */
export const createTranscriber = (
  network: GuardedNetwork,
  { url, key, model }: TranscriptionConfig,
): Transcriber => ({
  async transcribe({ bytes, mimeType }, signal) {
    const type = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
    const boundary = `argosy-${randomBytes(16).toString("hex")}`;
    const field = (name: string, value: string) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const head =
      field("model", model) +
      field("response_format", "json") +
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="voice.${endings[type] ?? "ogg"}"\r\n` +
      `content-type: ${type}\r\n\r\n`;
    const answer = await network.request({
      url: `${url}/audio/transcriptions`,
      method: "POST",
      headers: {
        "content-type": `multipart/form-data; boundary=${boundary}`,
        accept: "application/json",
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
      timeoutMs,
      bodyBytesMax: answerBytesMax,
      whenLonger: "refuse",
      redirectsMax: 0,
      // The operator's own server may be on this machine.
      trustedOrigin: new URL(url).origin,
      signal,
    });
    if (answer.status !== 200) throw refused(answer.status);
    return read(answer.body);
  },
});

/** The error for a refusal of the server. One that concerns the file itself is final; the others are tried again. */
function refused(status: number): AppError {
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return new AppError(
    isFinal ? "invalid" : "upstream_failed",
    `transcription_${status}`,
    `The transcription server answered ${status}.`,
  );
}

function read(body: Uint8Array): { text: string; audioMs: number | undefined } {
  let answer: unknown;
  try {
    answer = JSON.parse(Buffer.from(body).toString());
  } catch {
    answer = undefined;
  }
  if (!isRecord(answer) || typeof answer.text !== "string")
    throw new AppError("upstream_failed", "transcription_unreadable", "The answer has no text.");
  const usage = isRecord(answer.usage) ? answer.usage.seconds : undefined;
  const seconds = [answer.duration, usage].find((one) => typeof one === "number" && one >= 0 && one < 86_400);
  return {
    text: cutText(answer.text.toWellFormed().replaceAll("\0", " "), textCharsMax),
    audioMs: typeof seconds === "number" ? seconds * 1000 : undefined,
  };
}

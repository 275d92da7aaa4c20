import type { Fault } from "./provider-stand-in.ts";

/** An entry of `channel_send_errors`: a provider's answer, and what must become of the message. */
export interface CorpusEntry {
  id: string;
  input: {
    channel: string;
    http: number | null;
    code: number | string | null;
    subcode?: number | null;
    description?: string;
  };
  why: string;
  expected: string;
}

const answers: Record<string, Fault> = {
  "HTTP 200 with an error object": { kind: "answer", status: 200, body: '{"error":{"message":"no"}}' },
  "HTTP 200, messages[0].message_status held_for_quality_assessment": {
    kind: "answer",
    status: 200,
    body: '{"messages":[{"id":"wamid.1","message_status":"held_for_quality_assessment"}]}',
  },
  "HTML body": {
    kind: "answer",
    status: 200,
    body: "<html>ok</html>",
    headers: { "content-type": "text/html" },
  },
  "redirect: do not follow with the token": {
    kind: "answer",
    status: 301,
    body: "",
    headers: { location: "http://127.0.0.1:9/elsewhere" },
  },
  "any error with is_transient true": {
    kind: "error",
    code: 987_654,
    fields: { is_transient: true },
  },
};

/** The provider's answer that an entry describes. */
export function corpusFault({ input, why }: CorpusEntry): Fault {
  const { http, code, subcode, description } = input;
  const special = answers[why];
  if (special !== undefined) return special;
  if (input.channel === "bot_messenger") {
    const seconds = Number(/retry after (\d+)/.exec(description ?? "")?.[1]);
    const fields = Number.isNaN(seconds) ? undefined : { retry_after: seconds };
    return { kind: "error", code: http ?? 0, text: description ?? "", ...(fields && { fields }) };
  }
  if (typeof code === "number") return { kind: "error", code, ...(subcode ? { subcode } : {}) };
  return { kind: "answer", status: http ?? 0, body: "" };
}

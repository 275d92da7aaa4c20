import type { Cassette, CassetteEntry, EntryOf } from "../../contracts/daemon/cassettes/cassette-file.ts";
import { paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";

/** Width of the column of speakers: the longest name of a role. */
const nameWidth = 9;

/** Prints a recorded run: each request and its answer, in order. Of a conversation, only new messages are printed, unless `all`. */
export function printCassette(screen: Screen, cassette: Cassette, all: boolean): void {
  const { summary, request, entries, outcome } = cassette;
  screen.fields([
    ["agent", paint("bold", summary.agent)],
    ["query", request.query],
    ["session", request.session_id],
    ["recorded", `${summary.recorded_at} by argosy ${cassette.argosy}`],
    ["trace", summary.id],
    ["agents", Object.keys(cassette.agents).join(", ")],
    ...(summary.redactions > 0 ? [["secrets", "masked"] as const] : []),
  ]);
  const seen = new Map<string, readonly unknown[]>();
  for (const entry of entries.toSorted((a, b) => a.seq - b.seq)) {
    screen.print("");
    const who = entry.by.role === undefined ? entry.by.agent : `${entry.by.agent} (${entry.by.role})`;
    screen.print(paint("bold", `${entry.seq} ${entry.kind}`), `  ${who}`);
    if (entry.kind === "model") printModelCall(screen, entry, all ? new Map() : seen);
    else printOther(screen, entry);
  }
  screen.print("");
  screen.print(paint("bold", "outcome"));
  if ("result" in outcome) say(screen, "answer", String(outcome.result.response));
  else if ("error" in outcome) say(screen, "error", `${outcome.error.code}: ${outcome.error.message}`);
  else say(screen, "left", "the reader stopped reading");
}

interface Shown {
  role: string;
  content: string;
  toolCalls?: readonly { name: string; input: unknown }[];
}

function printModelCall(
  screen: Screen,
  { by, request, answer }: EntryOf<"model">,
  seen: Map<string, readonly unknown[]>,
): void {
  const { messages = [], tools = [] } = request as { messages?: Shown[]; tools?: { name: string }[] };
  const id = `${by.agent}\n${by.role ?? ""}`;
  const before = seen.get(id) ?? [];
  let known = 0;
  while (known < before.length && JSON.stringify(before[known]) === JSON.stringify(messages[known])) known++;
  seen.set(id, messages);
  if (known > 0) say(screen, "", `(${known} messages as before)`);
  for (const { role, content, toolCalls = [] } of messages.slice(known)) {
    if (content !== "" || toolCalls.length === 0) say(screen, role, content);
    for (const { name, input } of toolCalls) say(screen, role, `${name} ${JSON.stringify(input)}`);
  }
  if (tools.length > 0) say(screen, "tools", tools.map(({ name }) => name).join(", "));
  printModelAnswer(screen, answer);
}

function printModelAnswer(screen: Screen, { events, error }: EntryOf<"model">["answer"]): void {
  for (const event of events) {
    if (event.type === "chosen") say(screen, "asked", `${event.provider}/${event.model}`);
  }
  const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  if (text !== "") say(screen, "→", text);
  for (const event of events) {
    if (event.type === "tool_call")
      say(screen, "→", `${event.call.name} ${JSON.stringify(event.call.input)}`);
  }
  if (error !== undefined) say(screen, "→ failed", `${error.code}: ${error.message}`);
}

function printOther(screen: Screen, entry: Exclude<CassetteEntry, { kind: "model" }>): void {
  switch (entry.kind) {
    case "tool":
    case "worker": {
      const { tool, input } = entry.request as { tool: string; input: unknown };
      say(screen, tool, JSON.stringify(input));
      say(screen, "→", JSON.stringify(entry.answer.result));
      break;
    }
    case "memory":
      if (entry.answer.turns.length === 0) say(screen, "→", "nothing");
      for (const { role, content } of entry.answer.turns) say(screen, role, content);
      if (entry.answer.error) say(screen, "→ failed", entry.answer.error.message);
      break;
    case "recall": {
      const { of, query } = entry.request as { of: string; query: string };
      say(screen, of, query);
      if (entry.answer.items.length === 0) say(screen, "→", "nothing");
      for (const { text, summary } of entry.answer.items) say(screen, "→", String(text ?? summary));
      if (entry.answer.error) say(screen, "→ failed", entry.answer.error.message);
      break;
    }
    default:
      say(
        screen,
        "→",
        Object.values(entry.answer)
          .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
          .join(" "),
      );
  }
}

/** Prints a name and its text, with further lines under the first. */
function say(screen: Screen, name: string, text: string): void {
  const [first = "", ...rest] = text.split("\n");
  screen.print("  ", paint("dim", name.padEnd(nameWidth)), " ", first);
  for (const line of rest) screen.print(" ".repeat(nameWidth + 3), line);
}

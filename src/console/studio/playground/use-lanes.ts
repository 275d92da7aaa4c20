import { useState } from "react";
import { useUrlValues } from "../../parts/use-url-values.ts";
import type { LaneSettings } from "./lane-override.ts";

/** One column of the playground: whom it asks, with which changes, in which session. */
export interface Lane {
  number: number;
  agent: string;
  session: string;
  settings: LaneSettings;
}

export type LaneChange = Partial<Omit<LaneSettings, "systemPrompt">> & {
  agent?: string;
  session?: string;
  systemPrompt?: string | undefined;
};

const names = {
  agent: "agent",
  session: "session",
  model: "model",
  temperature: "temperature",
  maxTokens: "max_tokens",
} as const;

/** The second column's values stand beside the first one's: `agent` and `agent2`. */
const nameIn = (lane: number, name: string): string => (lane === 0 ? name : `${name}2`);

/** The columns as the address has them; system prompts are too long for it and last as long as the page. */
export function useLanes(firstAgent: string | undefined) {
  const [read, write] = useUrlValues();
  const [prompts, setPrompts] = useState<Readonly<Record<number, string | undefined>>>({});
  const laneOf = (number: number): Lane => {
    const textOf = (key: keyof typeof names) => read(nameIn(number, names[key]));
    const agent = textOf("agent");
    return {
      number,
      agent: agent === "" ? (firstAgent ?? "") : agent,
      session: textOf("session"),
      settings: {
        model: textOf("model"),
        temperature: textOf("temperature"),
        maxTokens: textOf("maxTokens"),
        systemPrompt: prompts[number],
      },
    };
  };
  const lanes = read("agent2") === "" ? [laneOf(0)] : [laneOf(0), laneOf(1)];
  return {
    lanes,
    read,
    write,
    /** Another agent begins another session: conversations belong to agents. */
    change(number: number, change: LaneChange) {
      if ("systemPrompt" in change) setPrompts((now) => ({ ...now, [number]: change.systemPrompt }));
      const values: Record<string, string> =
        change.agent === undefined ? {} : { [nameIn(number, "session")]: "" };
      for (const [key, value] of Object.entries(change)) {
        if (key !== "systemPrompt" && value !== undefined) {
          values[nameIn(number, names[key as keyof typeof names])] = value;
        }
      }
      write(values);
    },
    compare(isWanted: boolean) {
      const second = Object.fromEntries(Object.values(names).map((name) => [nameIn(1, name), ""]));
      if (!isWanted) return write(second);
      // Both start the same: agent, settings, and a session of their own.
      const alike = Object.values(names).map((name) => [nameIn(1, name), read(name)]);
      const { agent } = laneOf(0);
      setPrompts((now) => ({ ...now, 1: now[0] }));
      write({ ...Object.fromEntries(alike), agent, agent2: agent, session: "", session2: "" });
    },
    /** Begins a session where there is none yet; gives back the lanes with theirs. */
    beginSessions(changes: Readonly<Record<string, string>> = {}): Lane[] {
      const begun = lanes.map((lane) => (lane.session === "" ? { ...lane, session: newSession() } : lane));
      const values = begun.flatMap(({ number, agent, session }) => [
        [nameIn(number, "agent"), agent],
        [nameIn(number, "session"), session],
      ]);
      write({ ...Object.fromEntries(values), ...changes });
      return begun;
    },
    forgetSessions: () => write({ session: "", session2: "" }),
  };
}

/** Short enough to be read out; `crypto.randomUUID` is missing on pages that came without TLS. */
const newSession = (): string => `play-${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;

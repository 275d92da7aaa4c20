import { useState } from "react";
import { useUrlValues } from "../../../parts/address/use-url-state.ts";
import { randomHex } from "../../../parts/text/random-hex.ts";
import type { LaneSettings } from "./lane-override.ts";

/** One column of the playground: its agent, its overrides, its session. */
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

/** Returns the name of a query parameter: `agent` for the first column, `agent2` for the second. */
const nameIn = (lane: number, name: string): string => (lane === 0 ? name : `${name}2`);

/** The columns from the address. System prompts are too long for it, so they last only as long as the page. */
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
    /** Changes a column. Another agent starts another session, because conversations belong to agents. */
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
      // Both columns start with the same agent and settings, each with its own session.
      const alike = Object.values(names).map((name) => [nameIn(1, name), read(name)]);
      const { agent } = laneOf(0);
      setPrompts((now) => ({ ...now, 1: now[0] }));
      write({ ...Object.fromEntries(alike), agent, agent2: agent, session: "", session2: "" });
    },
    /** Starts a session in each column without one; returns the columns with their sessions. */
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

/** Returns a session name that is short enough to read out. */
const newSession = (): string => `play-${randomHex(8)}`;

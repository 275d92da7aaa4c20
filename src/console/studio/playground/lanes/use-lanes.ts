import { useEffect, useRef, useState } from "react";
import { draftPrefix } from "../../../api/draft-shelf.ts";
import { useUrlValues } from "../../../parts/address/use-url-state.ts";
import { isRecord } from "../../../parts/is-record.ts";
import { randomHex } from "../../../parts/text/random-hex.ts";
import type { LaneSettings } from "./lane-override.ts";

export const lanesMax = 4;

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

const allNames = Object.values(names);
const places = Array.from({ length: lanesMax }, (_, number) => number);

/** Returns the name of a query parameter: `agent` for the first column, `agent2` for the second. */
const nameIn = (lane: number, name: string): string => (lane === 0 ? name : `${name}${lane + 1}`);

/**
 * The columns from the address. System prompts are too long for it, so the tab keeps them until it is closed. It keeps the rest as well, for
 * an address that names no column: that of the menu.
 */
export function useLanes(firstAgent: string | undefined) {
  const [read, write] = useUrlValues();
  const [prompts, setPrompts] = useState(() => places.map((number) => keptPrompt(number)));
  useKeptColumns(read, write);
  const keepPrompts = (next: (KeptPrompt | undefined)[]) => {
    for (const number of places) keepPrompt(number, next[number]);
    setPrompts(next);
  };
  const laneOf = (number: number): Lane => {
    const textOf = (key: keyof typeof names) => read(nameIn(number, names[key]));
    const named = textOf("agent");
    const agent = named === "" ? (firstAgent ?? "") : named;
    const prompt = prompts[number];
    return {
      number,
      agent,
      session: textOf("session"),
      settings: {
        model: textOf("model"),
        temperature: textOf("temperature"),
        maxTokens: textOf("maxTokens"),
        // A prompt was written for one agent.
        systemPrompt: prompt?.agent === agent ? prompt.text : undefined,
      },
    };
  };
  const count = countLanes((number) => read(nameIn(number, names.agent)));
  const lanes = places.slice(0, count).map(laneOf);
  const promptOf = (number: number, { agent = laneOf(number).agent, systemPrompt: text }: LaneChange) =>
    text === undefined ? undefined : { agent, text };
  /** Values of one column as another one, or of none. */
  const valuesOf = (to: number, from: number | undefined) =>
    Object.fromEntries(
      allNames.map((name) => [nameIn(to, name), from === undefined ? "" : read(nameIn(from, name))]),
    );
  return {
    lanes,
    read,
    write,
    /** Changes a column. Another agent starts another session, because conversations belong to agents. */
    change(number: number, change: LaneChange) {
      if ("systemPrompt" in change)
        keepPrompts(prompts.map((prompt, at) => (at === number ? promptOf(number, change) : prompt)));
      const values: Record<string, string> =
        change.agent === undefined ? {} : { [nameIn(number, "session")]: "" };
      for (const [key, value] of Object.entries(change)) {
        if (key !== "systemPrompt" && value !== undefined) {
          values[nameIn(number, names[key as keyof typeof names])] = value;
        }
      }
      write(values);
    },
    /** Adds a column like the last one. All begin a session of their own. */
    add() {
      const last = laneOf(count - 1);
      keepPrompts(prompts.map((prompt, at) => (at === count ? prompts[count - 1] : prompt)));
      const sessions = Object.fromEntries(places.map((number) => [nameIn(number, "session"), ""]));
      write({
        ...valuesOf(count, count - 1),
        // The first agent may not stand in the address yet.
        agent: laneOf(0).agent,
        [nameIn(count, "agent")]: last.agent,
        ...sessions,
      });
    },
    /** Removes a column; those after it move up. */
    remove(number: number) {
      const kept = places.filter((at) => at !== number);
      keepPrompts([...kept.map((at) => prompts[at]), undefined]);
      write(Object.assign({}, ...places.map((to) => valuesOf(to, kept[to]))));
    },
    /** Leaves the first column alone. */
    single() {
      keepPrompts(prompts.map((prompt, at) => (at === 0 ? prompt : undefined)));
      write(Object.assign({}, ...places.slice(1).map((to) => valuesOf(to, undefined))));
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
    forgetSessions: () => write(Object.fromEntries(places.map((number) => [nameIn(number, "session"), ""]))),
  };
}

/** Returns how many columns an address has: the first one, and those after it whose agents it names without a gap. */
export function countLanes(agentOf: (number: number) => string): number {
  const end = places.slice(1).find((number) => agentOf(number) === "");
  return end ?? lanesMax;
}

const promptName = (number: number): string => `${draftPrefix}playground prompt ${number + 1}`;

/** A prompt that replaces an agent's own. */
interface KeptPrompt {
  agent: string;
  text: string;
}

const keptPrompt = (number: number): KeptPrompt | undefined =>
  readKept<KeptPrompt>(
    promptName(number),
    (kept) => typeof kept.agent === "string" && typeof kept.text === "string",
  );

const keepPrompt = (number: number, prompt: KeptPrompt | undefined): void => keep(promptName(number), prompt);

/** Values of an address that last while the tab is open. Sessions are not among them: the menu leads to a new conversation. */
const keptNames = places.flatMap((number) =>
  allNames.filter((name) => name !== names.session).map((name) => nameIn(number, name)),
);
const columnsName = `${draftPrefix}playground columns`;

/** Keeps the columns of the address, and writes them into one that has none. */
function useKeptColumns(read: (name: string) => string, write: (values: Record<string, string>) => void) {
  const now = JSON.stringify(Object.fromEntries(keptNames.map((name) => [name, read(name)])));
  const isEmpty = keptNames.every((name) => read(name) === "");
  const restored = useRef(false);
  useEffect(() => {
    if (!restored.current && isEmpty) {
      const kept = readKept<Record<string, string>>(columnsName, (values) =>
        Object.values(values).every((value) => typeof value === "string"),
      );
      if (kept !== undefined) write(kept);
    } else keep(columnsName, JSON.parse(now));
    restored.current = true;
  }, [now, isEmpty, write]);
}

function readKept<Value extends object>(
  name: string,
  isSound: (value: Record<string, unknown>) => boolean,
): Value | undefined {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(name) ?? "null");
    return isRecord(value) && isSound(value) ? (value as Value) : undefined;
  } catch {
    // Kept by an earlier release, in another form.
    return undefined;
  }
}

function keep(name: string, value: object | undefined): void {
  try {
    if (value === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Without room, it lasts as long as the page.
    sessionStorage.removeItem(name);
  }
}

/** Returns a session name that is short enough to read out. */
const newSession = (): string => `play-${randomHex(8)}`;

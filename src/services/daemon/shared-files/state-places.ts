import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeFile, replaceFile } from "../../../storage/files/replace-file.ts";
import type { PausedAgents } from "../agents/paused-agents.ts";
import { seeFile } from "../manifests/manifest-files.ts";
import { digestOf, type SharedPlace } from "./shared-place.ts";

const none: ReadonlyMap<string, string> = new Map();

/** Pauses of agents, one entry each. */
export function pausePlace(paused: PausedAgents): SharedPlace {
  const prefix = "paused/";
  const nameOf = (path: string) => path.slice(prefix.length);
  const digest = digestOf("");
  return {
    has: (path) => path.startsWith(prefix),
    list: () => ({
      copies: new Map(paused.list().map((name) => [`${prefix}${name}`, digest])),
      faults: none,
    }),
    read: () => "",
    write: (path) => paused.set(nameOf(path), true),
    remove: (path) => paused.set(nameOf(path), false),
  };
}

const agentName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/**
 * Releases of agents: each line of their records, and the texts of the versions in service. So what one node let past the gate, others
 * take as well, and a canary has one beginning and one end.
 */
export function releasePlace(folder: string): SharedPlace {
  const files = new Map<string, { stamp: string; lines: ReadonlyMap<string, string> }>();
  const linesOf = (agent: string) => {
    const path = join(folder, `${agent}.jsonl`);
    const seen = seeFile(path);
    if (seen === undefined) return none;
    const known = files.get(agent);
    if (known?.stamp === seen.stamp) return known.lines;
    const texts = readFileSync(path, "utf8").split("\n").filter(isLine);
    const lines = new Map(texts.map((text) => [`releases/${agent}/${digestOf(text)}`, text]));
    files.set(agent, { stamp: seen.stamp, lines });
    return lines;
  };
  const split = (path: string) => {
    const [, agent = "", line] = path.split("/");
    return { agent, line };
  };
  const textOf = (path: string) => join(folder, path.slice("releases/".length));
  return {
    has(path) {
      const { agent, line } = split(path);
      const name = line === undefined ? agent.replace(/\.agent\.yaml$/, "") : agent;
      return /^releases\/[^/]+(?:\.agent\.yaml|\/[\w-]{43})$/.test(path) && agentName.test(name);
    },
    list() {
      const copies = new Map<string, string>();
      for (const name of existsSync(folder) ? readdirSync(folder) : []) {
        if (name.endsWith(".jsonl"))
          for (const path of linesOf(name.slice(0, -".jsonl".length)).keys())
            copies.set(path, split(path).line ?? "");
        if (name.endsWith(".agent.yaml") && !name.startsWith("."))
          copies.set(`releases/${name}`, digestOf(readFileSync(join(folder, name), "utf8")));
      }
      return { copies, faults: none };
    },
    read(path) {
      const { agent, line } = split(path);
      return line === undefined ? readFileSync(textOf(path), "utf8") : (linesOf(agent).get(path) ?? "");
    },
    write(path, text) {
      const { agent, line } = split(path);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (line === undefined) replaceFile(textOf(path), text, 0o600);
      else if (isLine(text)) appendFileSync(join(folder, `${agent}.jsonl`), `\n${text}\n`, { mode: 0o600 });
    },
    remove(path) {
      // Lines are only added.
      if (split(path).line === undefined && existsSync(dirname(textOf(path)))) removeFile(textOf(path));
    },
  };
}

/** A line that a crash cut off is not an entry. */
function isLine(text: string): boolean {
  if (text === "" || text.includes("\n")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

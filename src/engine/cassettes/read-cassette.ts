import { Value } from "@sinclair/typebox/value";
import {
  Cassette,
  CassetteSummary,
  cassetteVersion,
} from "../../contracts/daemon/cassettes/cassette-file.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Work } from "../../kit/concurrency/others-turn.ts";
import { readPlainJson } from "../../kit/json/plain-json.ts";
import { schemaChecker } from "../../kit/json/schema-checker.ts";
import { comparedPart, requestKey } from "./request-key.ts";

const checker = schemaChecker(Cassette);

/** Parses a cassette. Throws AppError `invalid_cassette` that says what is wrong; `name` is the file's name in the message. */
export function readCassette(text: string, name: string): Cassette {
  return checkCassette(parse(text, name), name);
}

/** The same in pieces: a kept cassette has up to 64 MiB. */
export function* readCassetteText(text: string, name: string): Work<Cassette> {
  const value = yield* readPlainJson(text);
  if (value === undefined) throw noJson(text, name);
  return yield* checkedCassette(value, name);
}

/** The same for a text that has been parsed. */
export function checkCassette(value: unknown, name: string): Cassette {
  const work = checkedCassette(value, name);
  let next = work.next();
  while (next.done !== true) next = work.next();
  return next.value;
}

/** As `checkCassette`, in steps that let other work run: each request of a long run holds the whole conversation. */
export function* checkedCassette(value: unknown, name: string): Work<Cassette> {
  requireVersion(value, name);
  if (!checker.fits(value)) {
    const [fault] = checker.faultsOf(value);
    throw invalid(`${name} is damaged: ${pathOf(fault?.path)} ${lowered(fault?.message ?? "is not valid")}.`);
  }
  yield* requireSound(value, name);
  return value;
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw noJson(text, name);
  }
}

function noJson(text: string, name: string): AppError {
  if (text.trim() === "") return invalid(`${name} is empty.`);
  const isCut = text.trimStart().startsWith("{") && !text.trimEnd().endsWith("}");
  return invalid(
    isCut ? `${name} is cut off: the end of its JSON is missing.` : `${name} is not JSON, so no cassette.`,
  );
}

function requireVersion(value: unknown, name: string): asserts value is { version: 1 } {
  const version =
    typeof value === "object" && value !== null && "version" in value ? value.version : undefined;
  const entries = typeof value === "object" && value !== null && "entries" in value;
  if (version === cassetteVersion && entries) return;
  if (typeof version === "number" && version > cassetteVersion && entries) {
    throw new AppError(
      "invalid",
      "invalid_cassette",
      `${name} was recorded by a newer version: its form is ${version}, and this version reads ${cassetteVersion}.`,
      { details: { hint: "Replay it with the version that recorded it, or a later one." } },
    );
  }
  throw invalid(`${name} is not a cassette.`);
}

/** Checks beyond the schema: the requested agent is present, sequence numbers are unique, and keys match their requests. */
function* requireSound({ summary, agents, entries }: Cassette, name: string): Work<void> {
  if (!Object.hasOwn(agents, summary.agent)) {
    throw invalid(`${name} is damaged: it lacks the agent ${summary.agent}, which was asked.`);
  }
  const places = new Set<number>();
  for (const { seq, kind, by, key, request } of entries) {
    if (places.has(seq)) throw invalid(`${name} is damaged: there are two entries ${seq}.`);
    places.add(seq);
    yield;
    if (keyOf(kind, by, request, name) === key) continue;
    throw new AppError(
      "invalid",
      "invalid_cassette",
      `${name} was changed: the key of entry ${seq} (${kind}) does not belong to its request.`,
      { details: { hint: "An answer may be edited to try something out; a request may not." } },
    );
  }
}

function keyOf(
  kind: Parameters<typeof requestKey>[0],
  by: { agent: string },
  request: unknown,
  name: string,
) {
  try {
    return requestKey(kind, by, comparedPart(kind, request));
  } catch {
    throw invalid(`${name} is damaged: it is nested too deeply.`);
  }
}

/** Converts `/entries/3/answer` to `entries[3].answer`. */
function pathOf(pointer: string | undefined): string {
  if (!pointer) return "it";
  return pointer
    .slice(1)
    .split("/")
    .reduce(
      (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === "" ? part : `${path}.${part}`),
      "",
    );
}

function lowered(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function invalid(message: string): AppError {
  return new AppError("invalid", "invalid_cassette", message);
}

/** Reads the summary from the first line of a cassette; undefined if there is none. The line is valid JSON except for its missing end. */
export function readHead(line: string): CassetteSummary | undefined {
  try {
    const { summary } = JSON.parse(`${line.replace(/,\s*$/, "")}}`);
    return Value.Check(CassetteSummary, summary) ? summary : undefined;
  } catch {
    return undefined;
  }
}

/** Largest recording in bytes; larger files are not read as cassettes. */
export const cassetteBytesMax = 64 * 1024 * 1024;

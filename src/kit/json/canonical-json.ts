import { countSteps } from "../concurrency/others-turn.ts";

interface Level {
  members: readonly (readonly [key: string, value: unknown])[];
  next: number;
  end: string;
}

/**
 * Serializes a value with the keys of every object sorted by UTF-16 units (as in RFC 8785), so equal values give equal text. `textOf`
 * changes texts first, but not keys. Any depth is allowed.
 */
export function canonicalJson(value: unknown, textOf = (text: string) => text): string {
  let json = "";
  const levels: Level[] = [];
  const write = (one: unknown) => {
    if (typeof one === "string") json += JSON.stringify(textOf(one));
    else if (typeof one !== "object" || one === null) json += JSON.stringify(one) ?? "null";
    else {
      const isList = Array.isArray(one);
      json += isList ? "[" : "{";
      const members = isList ? one.map((item): [string, unknown] => ["", item]) : sortedMembers(one);
      levels.push({ members, next: 0, end: isList ? "]" : "}" });
    }
  };
  write(value);
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const member = level.members[level.next++];
    if (member === undefined) {
      json += level.end;
      levels.pop();
      continue;
    }
    if (level.next > 1) json += ",";
    json += member[0];
    write(member[1]);
  }
  return json;
}

function sortedMembers(value: object): [string, unknown][] {
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [`${JSON.stringify(key)}:`, member]);
}

/** SHA-256 of a value's canonical JSON, in hex. Counted as work, with what it takes to store the value. */
export function checksumOf(value: unknown): string {
  const text = canonicalJson(value);
  countSteps(text.length);
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/** An answer other than 200. */
export class QdrantRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const wrong = (message: string) => new QdrantRefusal(400, `Format error in JSON body: ${message}`);

/** Parses a JSON body like Rust's reader: without halves of surrogate pairs. */
export async function readBody(request: Request): Promise<unknown> {
  if (!request.headers.get("content-type")?.startsWith("application/json"))
    throw new QdrantRefusal(415, "Content type error");
  const text = await request.text();
  const body: unknown = JSON.parse(text);
  if (/\\ud[89a-f]/i.test(text) && !isWellFormed(body)) throw wrong("lone leading surrogate in hex escape");
  return body;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member));
}

/** Returns the fields of an object; requires the required ones and refuses unknown ones. */
export function fields(
  value: unknown,
  required: readonly string[],
  optional: readonly string[] = [],
): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong("expected a map");
  for (const name of Object.keys(value))
    if (!required.includes(name) && !optional.includes(name)) throw wrong(`unknown field \`${name}\``);
  for (const name of required) if (!(name in value)) throw wrong(`missing field \`${name}\``);
  return value as Record<string, unknown>;
}

export function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw wrong("expected a sequence");
  return value;
}

export function numbers(value: unknown): number[] {
  return list(value).map((one) => {
    if (typeof one !== "number" || !Number.isFinite(one)) throw wrong("expected a number");
    return one;
  });
}

export function count(value: unknown, least: number): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < least)
    throw wrong(`expected an integer of ${least} or more`);
  return value;
}

/** Parses a point's id: an unsigned integer, or a UUID. */
export function pointId(value: unknown): string | number {
  if (typeof value === "number") return count(value, 0);
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
  if (typeof value === "string" && uuid.test(value)) return value.toLowerCase();
  throw wrong(
    `value ${JSON.stringify(value)} is not a valid point ID, valid values are either an unsigned integer or a UUID`,
  );
}

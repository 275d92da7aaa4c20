import fc from "fast-check";

/** Values that replace other values. */
export const strange = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER,
    "",
    "null",
    "\u0000",
    "\ud800",
    "__proto__",
    "constructor",
    "{{ 7*7 }}",
    "../../etc/passwd",
    "%",
    "a\r\nb",
    "x".repeat(300),
    "😀".repeat(100),
    [],
    {},
    [[[]]],
    { toString: 1 },
    { length: -1 },
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Changes one place in a JSON value, chosen by `at`: replaces, removes or doubles it, or adds a new neighbour. */
export const bodyMutation: fc.Arbitrary<(body: unknown) => unknown> = fc
  .tuple(fc.nat(), fc.constantFrom("replace", "drop", "wrap", "add", "rename"), strange)
  .map(
    ([at, kind, value]) =>
      (body) =>
        mutate(body, at, kind, value),
  );

/** Changes the bytes of a body in ways that no JSON writer would. */
export const bytesMutation: fc.Arbitrary<(bytes: Uint8Array) => Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: fc.constant((bytes: Uint8Array) => bytes) },
  fc.nat().map((at) => (bytes: Uint8Array) => bytes.slice(0, at % (bytes.length + 1))),
  fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]) => (bytes: Uint8Array) => {
    const changed = bytes.slice();
    if (changed.length > 0) changed[at % changed.length] = byte;
    return changed;
  }),
  fc.uint8Array({ maxLength: 20 }).map((tail) => (bytes: Uint8Array) => Buffer.concat([bytes, tail])),
);

/** Changes a path: another segment, one more, or a query parameter; `names` are those of parameters. */
export const pathMutation = (
  names: readonly [string, ...string[]],
  texts: readonly string[] = [],
): fc.Arbitrary<(path: string) => string> => {
  const part = segment(texts);
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant((path: string) => path) },
    fc.constant((path: string) => (path.includes("?") ? path : `${path}/`)),
    fc.tuple(fc.nat(), part).map(([at, text]) => (path: string) => {
      const segments = path.split("/");
      segments[1 + (at % (segments.length - 1))] = text;
      return segments.join("/");
    }),
    part.map((text) => (path: string) => `${path}/${text}`),
    fc.tuple(fc.constantFrom(...names), part).map(
      ([name, text]) =>
        (path: string) =>
          `${path}${path.includes("?") ? "&" : "?"}${name}=${text}`,
    ),
  );
};

/** Returns a text that can be in a request line. */
function segment(texts: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      "",
      "..",
      "%2e%2e",
      "%00",
      "%ff",
      "%",
      "%zz",
      "*",
      ":name",
      "__proto__",
      "0",
      "101",
      "-1",
      "1e9",
      ...texts,
    ),
    fc.string({ unit: "binary", maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
  );
}

/** Mostly undefined, which keeps the request's own method. */
export const otherMethod = (...methods: readonly [string, ...string[]]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...methods) },
  );

/** A header that changes how a request is read, or an unknown one. */
export const mutatedHeader = fc.oneof(
  fc.constantFrom(
    "Accept: text/event-stream",
    "Accept: */*;q=nonsense",
    "Content-Type: text/plain",
    "Content-Type: application/x-www-form-urlencoded",
    "Content-Encoding: gzip",
    "Origin: http://localhost",
    "Origin: https://evil.example",
    "Origin: ::::",
    "Sec-Fetch-Site: cross-site",
    "X-Forwarded-For: 192.0.2.1",
    "Authorization: Bearer x",
    "X-Request-Id: a b",
    "X-HTTP-Method-Override: DELETE",
    "Upgrade: websocket",
    "Range: bytes=0-",
    "If-None-Match: *",
    "Cookie: a=b; a=c; __proto__=d",
  ),
  fc.stringMatching(/^X-[A-Za-z]{1,10}: [ -~]{0,30}$/),
);

function mutate(value: unknown, at: number, kind: string, strange: unknown): unknown {
  if (typeof value !== "object" || value === null || at % 5 === 0) {
    return kind === "wrap" ? [value] : kind === "replace" ? strange : value;
  }
  const name = (JSON.stringify(strange) ?? "").slice(0, 30);
  const entries = Object.entries(value);
  const index = at % (entries.length + 1);
  const chosen = entries[index];
  if (kind === "add" || chosen === undefined) entries.push([name, strange]);
  else if (kind === "drop") entries.splice(index, 1);
  else if (kind === "rename") chosen[0] = name;
  else chosen[1] = mutate(chosen[1], Math.floor(at / 7), kind, strange);
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

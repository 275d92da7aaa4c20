import { expect, test } from "bun:test";
import { stringFormats } from "../../../src/engine/structured/string-formats.ts";
import { processorMs } from "../../support/processor-time.ts";

const table: [format: string, valid: string[], invalid: string[]][] = [
  [
    "date",
    ["2024-02-29", "2000-02-29", "1999-12-31"],
    [
      "2023-02-29",
      "1900-02-29",
      "2024-13-01",
      "2024-00-10",
      "2024-01-00",
      "2024-04-31",
      "24-01-01",
      "2024-1-1",
      "2024-01-01T00:00:00Z",
      "",
    ],
  ],
  [
    "time",
    ["00:00:00Z", "23:59:59.123456789+02:00", "23:59:60z", "10:00:00-23:59"],
    ["24:00:00Z", "10:60:00Z", "10:00:61Z", "10:00:00", "10:00Z", "10:00:00+24:00", "10:00:00.Z"],
  ],
  [
    "date-time",
    ["2024-02-29T10:00:00Z", "2024-02-29t10:00:00.5+01:00", "2024-02-29 10:00:00Z"],
    ["2024-02-29", "2024-02-30T10:00:00Z", "2024-02-29T10:00:00", "2024-02-29_10:00:00Z"],
  ],
  [
    "duration",
    ["P1D", "PT1H", "P1Y2M3DT4H5M6S", "P3W", "P1M", "PT1M"],
    ["P", "PT", "P1", "1D", "P1DT", "P1H", "P1W2D", "p1d", "P1.5D"],
  ],
  [
    "email",
    ["a@b.example", "first.last+tag@sub.b.example", "müller@b.example"],
    [
      "a",
      "@b",
      "a@",
      "a@b@c",
      "a b@c.example",
      ".a@b.example",
      "a.@b.example",
      "a..b@c.example",
      "a@-b.example",
      `${"a".repeat(65)}@b.example`,
      "a@b..example",
    ],
  ],
  [
    "hostname",
    ["a", "a.example", "xn--mnchen-3ya.example", `${"a".repeat(63)}.b`],
    ["", "-a", "a-", "a..b", "a_b", "a b", `${"a".repeat(64)}.b`, "a.".repeat(130), "müller.example"],
  ],
  ["ipv4", ["127.0.0.1", "255.255.255.255"], ["256.0.0.1", "1.2.3", "1.2.3.4.5", "0x7f.1.1.1", "::1"]],
  ["ipv6", ["::1", "2001:db8::1", "::ffff:1.2.3.4"], ["1.2.3.4", ":::", "fe80::1%eth0", "12345::", ""]],
  [
    "uri",
    ["https://a.example/b?c=d#e", "urn:isbn:123", "mailto:a@b.example", "http://[::1]:80/"],
    ["a", "/a/b", "https://", "http://a b", "https://a.example/ä", "https://a.example/%zz", "://a"],
  ],
  [
    "uuid",
    [
      "9b2f0c1e-0d5b-4c2e-9f51-0123456789ab",
      "00000000-0000-0000-0000-000000000000",
      "9B2F0C1E-0D5B-4C2E-9F51-0123456789AB",
    ],
    [
      "9b2f0c1e0d5b4c2e9f510123456789ab",
      "9b2f0c1e-0d5b-4c2e-9f51-0123456789a",
      "{9b2f0c1e-0d5b-4c2e-9f51-0123456789ab}",
      "g".repeat(36),
    ],
  ],
];

test.each(table)("%s", (format, valid, invalid) => {
  const check = stringFormats[format];
  expect(valid.filter((text) => check?.(text) !== true)).toEqual([]);
  expect(invalid.filter((text) => check?.(text) !== false)).toEqual([]);
});

test("every format has its table", () => {
  expect(table.map(([format]) => format).sort()).toEqual(Object.keys(stringFormats).sort());
});

test("none takes long over a long text", () => {
  const texts = ["a", "1", ".", "-", "a.", "%41", "@", ":", "P1", "http:a", " "].map((piece) =>
    piece.repeat(200_000),
  );
  for (const [format, check] of Object.entries(stringFormats)) {
    for (const text of texts) {
      for (const probe of [text, `http:${text}`, `a@${text}`, `P${text}`]) {
        const isQuick = processorMs(() => check(probe)) < 1000;
        expect({ format, isQuick }).toEqual({ format, isQuick: true });
      }
    }
  }
});

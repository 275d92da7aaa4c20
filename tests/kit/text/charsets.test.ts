import { expect, test } from "bun:test";
import { charsetOfEscapes, findCharset } from "../../../src/kit/text/charsets.ts";

const hex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));

const japanese = hex("1b2442467c4b5c386c244e2546252d253925481b2842");
const korean = hex("1b2429430e475131393e6e0f200e392e3c2d0f0a0e355142300f200e41590f");
const chinese = hex("1b2429410e56504e444e440f0a6f6b");

test.each([
  ["iso-2022-jp", japanese, "日本語のテキスト"],
  ["iso-2022-kr", korean, "한국어 문서\n둘째 줄"],
  ["iso-2022-cn", chinese, "中文文\nok"],
])("%s is known by its escapes", (name, bytes, text) => {
  expect(charsetOfEscapes(bytes)).toBe(name);
  expect(findCharset(name)?.decode(bytes, true)).toBe(text);
});

test.each([
  ["plain text", Buffer.from("plain (B text $B")],
  ["colours of a terminal", Buffer.from("\u001b[31mred\u001b[0m \u001b(B")],
  ["UTF-8 with an escape", Buffer.from("\u001b$B é")],
  ["nothing", new Uint8Array()],
])("%s has no escapes of a charset", (_, bytes) => expect(charsetOfEscapes(bytes)).toBeUndefined());

test.each([
  ["HZ", "hz-gb-2312", hex("7e7b56504e444e44313e7e7d2074657874207e7e2078"), "中文文本 text ~ x"],
  ["another name of ISO-2022-KR", "csISO2022KR", korean, "한국어 문서\n둘째 줄"],
  ["unicode, which is UTF-16", "unicode", hex("41000a00"), "A\n"],
  ["a label with space", " UTF-8 ", Buffer.from("é"), "é"],
])("%s", (_, label, bytes, text) => expect(findCharset(label)?.decode(bytes, true)).toBe(text));

test.each(["klingon", "", "utf-7", "__proto__"])("the label %j is unknown", (label) =>
  expect(findCharset(label)).toBeUndefined(),
);

test.each([
  ["ISO-2022-CN with Taiwanese characters", "iso-2022-cn", hex("1b2429470e2121")],
  ["ISO-2022-KR cut inside a character", "iso-2022-kr", hex("1b2429430e47")],
  ["ISO-2022-JP cut inside a character", "iso-2022-jp", hex("1b244246")],
  ["UTF-8", "utf-8", hex("ff")],
])("invalid %s is refused where strict, else shown as such", (_, label, bytes) => {
  expect(() => findCharset(label)?.decode(bytes, true)).toThrow(TypeError);
  expect(findCharset(label)?.decode(bytes, false)).toContain("\ufffd");
});

test("any bytes are read to their end", () => {
  for (const label of ["iso-2022-kr", "iso-2022-cn", "hz", "iso-2022-jp"])
    for (let seed = 0; seed < 200; seed++) {
      const bytes = Uint8Array.from({ length: 40 }, (_, at) => Number(Bun.hash(`${seed} ${at}`) % 256n));
      if (seed % 2 === 0) bytes.set([0x1b, 0x24, 0x29], seed % 38);
      expect(findCharset(label)?.decode(bytes, false)).toBeString();
    }
});

import { expect, test } from "bun:test";
import { decodeBody } from "../../../src/kit/html/decode-body.ts";

const bytes = (...parts: (string | readonly number[])[]) =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part, "latin1")] : part)),
  );
const nihon = [0x93, 0xfa, 0x96, 0x7b];
const utf8Nihon = [0xe6, 0x97, 0xa5, 0xe6, 0x9c, 0xac];

test.each([
  ["the head of the answer", bytes(nihon), "Shift_JIS", "日本"],
  ["the head before the page", bytes("<meta charset=utf-8>", nihon), "shift_jis", "<meta charset=utf-8>日本"],
  ["a byte order mark before both", bytes([0xef, 0xbb, 0xbf], utf8Nihon), "shift_jis", "日本"],
  ["UTF-16", bytes([0xff, 0xfe, 0x41, 0x00]), undefined, "A"],
  ["`meta charset`", bytes("<META CHARSET='sjis'>", nihon), undefined, "<META CHARSET='sjis'>日本"],
  [
    "`meta http-equiv`",
    bytes("<meta content='text/html; charset=\"x-sjis\"' http-equiv=content-type>", nihon),
    undefined,
    "<meta content='text/html; charset=\"x-sjis\"' http-equiv=content-type>日本",
  ],
  [
    "no `meta` in a comment or script",
    bytes("<!--<meta charset=sjis>--><script><meta charset=sjis></script>é"),
    undefined,
    "<!--<meta charset=sjis>--><script><meta charset=sjis></script>é",
  ],
  ["UTF-8 where nothing is said", bytes(utf8Nihon), undefined, "日本"],
  ["UTF-8 that was cut within a character", bytes(utf8Nihon.slice(0, 5)), undefined, "日\ufffd"],
  ["windows-1252 where it can't be", bytes("caf", [0xe9, 0x20, 0x80]), undefined, "café €"],
  ["a charset that nobody knows", bytes(utf8Nihon), "klingon", "日本"],
  ...["unicode", "UCS-2", "utf-16", "csUnicode", "unicodeFFFE", "iso-10646-ucs-2"].map(
    (name): [string, Uint8Array, undefined, string] => [
      `a page that says ${name} byte by byte, which is then UTF-8`,
      bytes(`<meta charset=${name}>`, utf8Nihon),
      undefined,
      `<meta charset=${name}>日本`,
    ],
  ),
  ["unicode in the head of the answer, which is UTF-16", bytes([0xe5, 0x65]), "unicode", "日"],
  [
    "x-user-defined, which is windows-1252",
    bytes("<meta charset=x-user-defined>", [0x80]),
    undefined,
    "<meta charset=x-user-defined>€",
  ],
  ["ISO-2022-JP that nothing names", bytes([0x1b], "$BF|K\\", [0x1b], "(B"), undefined, "日本"],
  [
    "ISO-2022-KR that a page names",
    bytes("<meta charset=iso-2022-kr>", [0x1b], "$)C", [0x0e], "GQ", [0x0f]),
    undefined,
    "<meta charset=iso-2022-kr>한",
  ],
  [
    "a page that says UTF-16 byte by byte",
    bytes("<meta charset=utf-16le>"),
    undefined,
    "<meta charset=utf-16le>",
  ],
])("%s", (_, body, charset, text) => expect(decodeBody(body, charset, true)).toBe(text));

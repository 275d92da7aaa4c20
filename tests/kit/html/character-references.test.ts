import { expect, test } from "bun:test";
import { decodeReferences } from "../../../src/kit/html/character-references.ts";

test.each([
  ["none", "none"],
  ["&amp;&lt;&gt;&quot;&apos;&nbsp;", "&<>\"'\u00a0"],
  ["&eacute;&Eacute;&euro;&hellip;&rarr;", "éÉ€…→"],
  ["&CounterClockwiseContourIntegral;", "∳"],
  ["&NotEqualTilde;&fjlig;&Tab;", "≂̸fj\t"],
  ["&#65;&#x42;&#X43;&#0068;", "ABCD"],
  ["&#128512;&#x1f600", "😀😀"],
  ["&#128;&#x93;&#150;", "€“–"],
  ["&#0;&#xD800;&#x110000;&#99999999999999999999;", "\ufffd\ufffd\ufffd\ufffd"],
  ["&copy 2026 &copyright; &notit; &notin;", "© 2026 ©right; ¬it; ∉"],
  ["&amplt;&ampamp;", "&lt;&amp;"],
  ["&;&#;&#x;&# 1;& amp;&nosuchname;&euro &Copy;", "&;&#;&#x;&# 1;& amp;&nosuchname;&euro &Copy;"],
  ["&", "&"],
  ["&constructor;&__proto__;", "&constructor;&__proto__;"],
])("%p is %p", (text, decoded) => expect(decodeReferences(text)).toBe(decoded));

test("in an attribute the name of a parameter is not read as a reference", () => {
  expect(decodeReferences("?a=1&copy=2&reg;&notit&lt", "attribute")).toBe("?a=1&copy=2®&notit<");
});

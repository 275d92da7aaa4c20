import { afterAll, beforeAll, expect, test } from "bun:test";
import { element } from "../../src/widget/dom.ts";

/** Elements without a parser: anything that reads text as markup throws, because it isn't there. */
class FakeElement {
  readonly attributes: Record<string, string> = {};
  readonly children: (string | FakeElement)[] = [];

  setAttribute(name: string, value: string): void {
    this.attributes[name] = value;
  }

  append(...children: (string | FakeElement)[]): void {
    this.children.push(...children);
  }

  set innerHTML(_: string) {
    throw new Error("A text was read as markup.");
  }
}

const earlier = globalThis.document;

beforeAll(() => {
  Object.assign(globalThis, { document: { createElement: () => new FakeElement() } });
});

afterAll(() => {
  Object.assign(globalThis, { document: earlier });
});

test("a text with markup becomes a text node, and an attribute keeps it as its value", () => {
  const hostile = '<img src=x onerror="alert(1)">';
  const made = element("p", { title: hostile }, hostile, element("b", {}, hostile));
  const { attributes, children } = made as unknown as FakeElement;
  expect(attributes).toEqual({ title: hostile });
  expect(children[0]).toBe(hostile);
  expect((children[1] as FakeElement).children).toEqual([hostile]);
});

import { expect, test } from "bun:test";
import { readTemplate } from "../../../src/channels/templates/read-template.ts";
import {
  fieldsOf,
  filledPreview,
  filledTemplate,
  mediaHeaderOf,
  type TemplateChoice,
} from "../../../src/console/gateway/inbox/template-values.ts";

const listed = (...components: object[]) =>
  readTemplate({ name: "t", language: "en_US", status: "APPROVED", components }) as TemplateChoice;
const body = (text: string) => ({ type: "BODY", text });
/** Each field's value is its key. */
const filled = (template: TemplateChoice) =>
  filledTemplate(template, Object.fromEntries(fieldsOf(template).map(({ key }) => [key, ` ${key} `])));

test("a template without placeholders has no fields and no values", () => {
  const template = listed(body("Hello"));
  expect(fieldsOf(template)).toEqual([]);
  expect<object>(filled(template)).toEqual({ name: "t", language: "en_US" });
});

test("values of the body go by position, whatever the order in the text", () => {
  expect(filled(listed(body("{{2}} and {{1}} and {{2}}"))).params).toEqual(["body 1", "body 2"]);
});

test("named values of the body go by name", () => {
  expect(filled(listed(body("Hi {{name}}, at {{hour}}"))).params).toEqual({
    name: "body name",
    hour: "body hour",
  });
});

test("values of header and buttons go as components, each button by its place", () => {
  const template = listed({ type: "HEADER", format: "TEXT", text: "Order {{1}}" }, body("Hi {{name}}"), {
    type: "BUTTONS",
    buttons: [
      { type: "QUICK_REPLY", text: "OK" },
      { type: "URL", text: "Follow", url: "https://x.example/{{1}}" },
      { type: "URL", text: "Home", url: "https://x.example/" },
      { type: "URL", text: "Pay", url: "https://y.example/{{1}}" },
    ],
  });
  expect<object>(filled(template)).toEqual({
    name: "t",
    language: "en_US",
    components: [
      { type: "header", parameters: [{ type: "text", text: "header 1" }] },
      { type: "body", parameters: [{ type: "text", parameter_name: "name", text: "body name" }] },
      { type: "button", sub_type: "url", index: "1", parameters: [{ type: "text", text: "button 1 1" }] },
      { type: "button", sub_type: "url", index: "3", parameters: [{ type: "text", text: "button 3 1" }] },
    ],
  });
});

test("the preview has the values that are written, and the placeholders of the others", () => {
  const template = listed(body("Hello {{1}}, we expect you {{2}}."));
  expect(filledPreview(template, { "body 1": "Ana" })).toBe("Hello Ana, we expect you {{2}}.");
});

test("header and body may number their placeholders alike", () => {
  const template = listed({ type: "HEADER", format: "TEXT", text: "Order {{1}}" }, body("Hi {{1}}"));
  expect(filledPreview(template, { "header 1": "17", "body 1": "Ana" })).toBe("Order 17\nHi Ana");
});

test("a header that needs a file is named", () => {
  expect(mediaHeaderOf(listed({ type: "HEADER", format: "IMAGE" }, body("x")))).toBe("image");
  expect(mediaHeaderOf(listed({ type: "HEADER", format: "TEXT", text: "x" }))).toBeUndefined();
});

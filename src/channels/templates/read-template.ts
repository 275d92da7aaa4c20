import { isRecord } from "../../kit/json/is-record.ts";
import { storableOf } from "../inbound/delivered-text.ts";
import { itemsOf } from "../json-fields.ts";

/** A template as senders choose and fill it. */
export interface ListedTemplate {
  name: string;
  language: string;
  /** The provider's word, such as `APPROVED`. */
  status: string;
  category: string;
  /** Placeholders of header, body and addresses of buttons, by name or by position. */
  params: { in: "header" | "body" | "button"; name: string }[];
  /** What the user sees, with its placeholders. */
  preview: string;
  /** As the provider describes it. */
  components: object[];
}

const componentsMax = 20;
const placeholder = /\{\{\s*([\w.-]{1,64})\s*\}\}/g;

/** Reads a template of WhatsApp; undefined if it has no name. */
export function readTemplate(template: unknown): ListedTemplate | undefined {
  const [name, language] = [storableOf(template, "name"), storableOf(template, "language")];
  if (name === undefined || language === undefined) return undefined;
  const components = itemsOf(template, "components")
    .slice(0, componentsMax)
    .filter((component) => isRecord(component));
  const parts = components.flatMap(partsOf);
  return {
    name,
    language,
    status: storableOf(template, "status") ?? "UNKNOWN",
    category: storableOf(template, "category") ?? "UNKNOWN",
    params: parts.flatMap(({ at, text }) =>
      at === "footer" ? [] : [...new Set(placeholdersOf(text))].map((named) => ({ in: at, name: named })),
    ),
    preview: parts.flatMap(({ shown }) => (shown === "" ? [] : [shown])).join("\n"),
    components,
  };
}

const placeholdersOf = (text: string): string[] =>
  [...text.matchAll(placeholder)].map(([, named]) => named ?? "");

interface Part {
  at: "header" | "body" | "footer" | "button";
  /** Text with placeholders. */
  text: string;
  shown: string;
}

function partsOf(component: unknown): Part[] {
  const type = (storableOf(component, "type") ?? "").toLowerCase();
  const text = storableOf(component, "text") ?? "";
  if (type === "header") {
    const format = storableOf(component, "format") ?? "TEXT";
    return [{ at: "header", text, shown: format === "TEXT" ? text : `[${format.toLowerCase()}]` }];
  }
  if (type === "body" || type === "footer") return [{ at: type, text, shown: text }];
  if (type !== "buttons") return [];
  return itemsOf(component, "buttons")
    .slice(0, componentsMax)
    .map((button) => ({
      at: "button",
      text: storableOf(button, "url") ?? "",
      shown: `[${storableOf(button, "text") ?? storableOf(button, "type") ?? ""}]`,
    }));
}

/** Values for the placeholders of a part, by name or by position. */
type Values = ReadonlyMap<string, string>;

/** A template as it is sent. */
export interface SentTemplate {
  params?: readonly string[] | Readonly<Record<string, string>> | undefined;
  components?: readonly object[] | undefined;
}

/** Writes what the user sees of a template that is sent with these values. A placeholder without a value stays. */
export function templateText({ components }: ListedTemplate, sent: SentTemplate): string {
  const valuesOf = valuesIn(sent);
  return components
    .flatMap(partsOf)
    .flatMap(({ at, shown }) => {
      const values = valuesOf.get(at);
      const filled = shown.replace(placeholder, (written, name: string) => values?.get(name) ?? written);
      return filled === "" ? [] : [filled];
    })
    .join("\n");
}

/** `params` are those of the body. */
function valuesIn({ params, components = [] }: SentTemplate): ReadonlyMap<string, Values> {
  const values = new Map<string, Values>();
  for (const component of components) {
    const type = (storableOf(component, "type") ?? "").toLowerCase();
    const given = itemsOf(component, "parameters").map((parameter, at): [string, string] => [
      storableOf(parameter, "parameter_name") ?? String(at + 1),
      storableOf(parameter, "text") ?? `[${storableOf(parameter, "type") ?? "file"}]`,
    ]);
    values.set(type, new Map(given));
  }
  if (params !== undefined)
    values.set(
      "body",
      new Map(
        Array.isArray(params)
          ? params.map((text, at): [string, string] => [String(at + 1), String(text)])
          : Object.entries(params),
      ),
    );
  return values;
}

/** Templates of an emulated account. */
export const emulatedTemplates: readonly unknown[] = [
  {
    name: "hello_world",
    language: "en_US",
    status: "APPROVED",
    category: "UTILITY",
    components: [{ type: "BODY", text: "Hello! This is a first message from us." }],
  },
  {
    name: "appointment",
    language: "en_US",
    status: "APPROVED",
    category: "UTILITY",
    parameter_format: "POSITIONAL",
    components: [
      { type: "HEADER", format: "TEXT", text: "Your appointment" },
      { type: "BODY", text: "Hello {{1}}, we expect you {{2}}." },
      { type: "FOOTER", text: "Answer to change it." },
      { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "I confirm" }] },
    ],
  },
];

import type { Template } from "../../../contracts/gateway/messages.ts";
import type { TemplateList } from "../../../contracts/gateway/templates.ts";

export type TemplateChoice = TemplateList["templates"][number];

/** A value that the sender gives for a placeholder. */
export interface TemplateField {
  key: string;
  in: TemplateChoice["params"][number]["in"];
  name: string;
  /** Number of the button among those with an address. */
  button?: number;
}

/** Returns a field for each placeholder of a template. */
export function fieldsOf({ params, components }: TemplateChoice): TemplateField[] {
  const buttons = buttonsWithPlaceholder(components);
  let button = -1;
  return params.map(({ in: where, name }) => {
    if (where !== "button") return { key: `${where} ${name}`, in: where, name };
    button++;
    const at = buttons[button] ?? button;
    return { key: `button ${at} ${name}`, in: where, name, button: at };
  });
}

/** Places among the template's buttons of those whose address has a placeholder. */
const buttonsWithPlaceholder = (components: readonly object[]): number[] =>
  components.flatMap((component) => {
    const buttons: unknown = Reflect.get(component, "buttons");
    if (!Array.isArray(buttons)) return [];
    return buttons.flatMap((button: unknown, at) => {
      const url: unknown = typeof button === "object" && button !== null ? Reflect.get(button, "url") : "";
      return typeof url === "string" && url.includes("{{") ? [at] : [];
    });
  });

/** Returns the kind of file that a template's header needs, which this form can't give; undefined: none. */
export function mediaHeaderOf({ components }: TemplateChoice): string | undefined {
  for (const component of components) {
    const format: unknown = Reflect.get(component, "format");
    if (typeof format === "string" && format.toUpperCase() !== "TEXT") return format.toLowerCase();
  }
  return undefined;
}

/** Returns the template as it is sent, with the values of its fields. */
export function filledTemplate(listed: TemplateChoice, values: Readonly<Record<string, string>>): Template {
  const { name, language } = listed;
  const fields = fieldsOf(listed);
  if (fields.length === 0) return { name, language };
  const given = ({ key }: TemplateField) => (values[key] ?? "").trim();
  if (fields.every(({ in: where }) => where === "body")) {
    const isNamed = fields.some(({ name: placeholder }) => !/^\d+$/.test(placeholder));
    if (isNamed) {
      return {
        name,
        language,
        params: Object.fromEntries(fields.map((field) => [field.name, given(field)])),
      };
    }
    const byPosition = [...fields].sort((a, b) => Number(a.name) - Number(b.name));
    return { name, language, params: byPosition.map(given) };
  }
  const parametersOf = (some: readonly TemplateField[]) =>
    some.map((field) => ({
      type: "text",
      ...(/^\d+$/.test(field.name) || field.in === "button" ? {} : { parameter_name: field.name }),
      text: given(field),
    }));
  const partsOf = (type: "header" | "body") => {
    const some = fields.filter(({ in: where }) => where === type);
    return some.length === 0 ? [] : [{ type, parameters: parametersOf(some) }];
  };
  const buttons = fields.flatMap((field) =>
    field.button === undefined
      ? []
      : [
          {
            type: "button",
            sub_type: "url",
            index: String(field.button),
            parameters: parametersOf([field]),
          },
        ],
  );
  return { name, language, components: [...partsOf("header"), ...partsOf("body"), ...buttons] };
}

/** Returns what the user will see; a placeholder without a value stays as it is written. */
export function filledPreview(listed: TemplateChoice, values: Readonly<Record<string, string>>): string {
  const fill = (text: string, where: TemplateField["in"]) =>
    text.replaceAll(/\{\{\s*([\w.-]{1,64})\s*\}\}/g, (written, name: string) => {
      const value = (values[`${where} ${name}`] ?? "").trim();
      return value === "" ? written : value;
    });
  // The header comes first, and numbers its placeholders by itself.
  const header = headerOf(listed);
  const rest = listed.preview.slice(header.length);
  return fill(header, "header") + fill(rest, "body");
}

function headerOf({ components, preview }: TemplateChoice): string {
  for (const component of components) {
    const [type, text]: unknown[] = [Reflect.get(component, "type"), Reflect.get(component, "text")];
    const isHeader = typeof type === "string" && type.toUpperCase() === "HEADER";
    if (isHeader && typeof text === "string" && preview.startsWith(text)) return text;
  }
  return "";
}

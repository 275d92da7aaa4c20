export type JsonSchema = Record<string, unknown>;

/** Collects the named schemas of one document while it is made: each stands once, and everywhere else as a reference. */
export class SchemaCollection {
  readonly named: Record<string, JsonSchema> = {};

  /**
   * The schema as it should stand in the document: JSON only, literals of a union as `enum`, a named one as `$ref`, and
   * what a schema has as `documented` in place of itself.
   */
  add(schema: object): JsonSchema {
    const { $id, documented, ...rest } = schema as JsonSchema;
    if (typeof documented === "object" && documented !== null) return this.add(documented);
    if (typeof $id !== "string") return this.#plain(rest);
    if (!Object.hasOwn(this.named, $id)) {
      // Reserved first: a schema may contain itself.
      this.named[$id] = {};
      this.named[$id] = this.#plain(rest);
    }
    return { $ref: `#/components/schemas/${$id}` };
  }

  #plain(schema: JsonSchema): JsonSchema {
    const { anyOf, ...rest } = schema;
    if (isLiterals(anyOf)) return { ...this.#plain(rest), enum: anyOf.map((option) => option.const) };
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.#value(value)]));
  }

  #value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    return typeof value === "object" && value !== null ? this.add(value) : value;
  }
}

function isLiterals(options: unknown): options is JsonSchema[] {
  return (
    Array.isArray(options) && options.length > 0 && options.every((option) => Object.hasOwn(option, "const"))
  );
}

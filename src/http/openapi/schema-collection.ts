export type DocumentSchema = Record<string, unknown>;

/** Our own keys, for error messages and generated pages. They are not part of JSON Schema. */
const ownKeys: ReadonlySet<string> = new Set(["fault", "expects", "aliases"]);
const mapsOfSchemas: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"]);
/** Keywords whose values are data. */
const verbatim: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);

/** Collects the named schemas of one document. Each is written once, and referenced everywhere else. */
export class SchemaCollection {
  readonly named: Record<string, DocumentSchema> = {};

  /**
   * Returns the schema for the document: JSON only, literals of a union as `enum`, a named schema as `$ref`, and the value of `documented`
   * instead of a schema that has one.
   */
  add(schema: object): DocumentSchema {
    const { $id, documented, ...rest } = schema as DocumentSchema;
    if (typeof documented === "object" && documented !== null) return this.add(documented);
    if (typeof $id !== "string") return this.#plain(rest);
    if (!Object.hasOwn(this.named, $id)) {
      // Reserved first, because a schema may contain itself.
      this.named[$id] = {};
      this.named[$id] = this.#plain(rest);
    }
    return { $ref: `#/components/schemas/${$id}` };
  }

  #plain(schema: DocumentSchema): DocumentSchema {
    const { anyOf, ...rest } = schema;
    if (isLiterals(anyOf)) return { ...this.#plain(rest), enum: anyOf.map((option) => option.const) };
    return Object.fromEntries(
      Object.entries(schema)
        .filter(([key]) => !ownKeys.has(key))
        .map(([key, value]) => [key, this.#value(key, value)]),
    );
  }

  #value(key: string, value: unknown): unknown {
    if (verbatim.has(key) || typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#value("", item));
    if (!mapsOfSchemas.has(key)) return this.add(value);
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]: [string, object]) => [name, this.add(schema)]),
    );
  }
}

function isLiterals(options: unknown): options is DocumentSchema[] {
  return (
    Array.isArray(options) && options.length > 0 && options.every((option) => Object.hasOwn(option, "const"))
  );
}

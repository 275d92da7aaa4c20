import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler, type ValueErrorIterator } from "@sinclair/typebox/compiler";

/** Checks values against a TypeBox schema. */
export interface SchemaChecker<Schema extends TSchema> {
  fits(value: unknown): value is Static<Schema>;
  faultsOf(value: unknown): ValueErrorIterator;
}

/** A checker that compiles its schema on first use: compiling all at start would delay the first request by tens of milliseconds. */
export function schemaChecker<Schema extends TSchema>(schema: Schema): SchemaChecker<Schema> {
  let compiled: TypeCheck<Schema> | undefined;
  const check = () => {
    compiled ??= TypeCompiler.Compile(schema);
    return compiled;
  };
  return {
    fits: (value): value is Static<Schema> => check().Check(value),
    faultsOf: (value) => check().Errors(value),
  };
}

import { isRecord } from "../kit/json/is-record.ts";

/** Returns the value at a dotted path. */
export function valueAt(config: unknown, path: string): unknown {
  let value = config;
  for (const key of path.split(".")) value = isRecord(value) ? own(value, key) : undefined;
  return value;
}

/** Returns the config with the value at a dotted path set, or removed if it is undefined. Mappings on the way are made if needed. */
export function withValueAt(
  config: Record<string, unknown>,
  path: string,
  value: unknown,
): Record<string, unknown> {
  const [key = "", ...rest] = path.split(".");
  const { [key]: inner, ...others } = config;
  if (rest.length === 0) return value === undefined ? others : { ...others, [key]: value };
  if (!isRecord(inner) && value === undefined) return config;
  return { ...others, [key]: withValueAt(isRecord(inner) ? inner : {}, rest.join("."), value) };
}

const own = (mapping: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(mapping, key) ? mapping[key] : undefined;

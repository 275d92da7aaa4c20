/**
 * A query that is built and prepared once per handle (`storage.read`, a transaction's `tx`) and then only executed: `const byName =
 * statement((query: ReadQuery, tables: T) => query.select()….prepare("by_name"))`, then `await byName(storage.read,
 * storage.tables).execute({ name })`.
 */
export function statement<Handle extends object, Tables, Prepared extends object>(
  build: (query: Handle, tables: Tables) => Prepared,
): (query: Handle, tables: Tables) => Prepared {
  const preparedBy = new WeakMap<Handle, Prepared>();
  return (query, tables) => {
    const known = preparedBy.get(query);
    if (known !== undefined) return known;
    const prepared = build(query, tables);
    preparedBy.set(query, prepared);
    return prepared;
  };
}

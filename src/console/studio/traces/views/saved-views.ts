import { filterNames } from "../trace-query.ts";

/** A named state of the list of traces. */
export interface SavedView {
  name: string;
  /** Query parameters of the page: filters, order and hidden columns. */
  query: string;
}

const storageName = "argosy.traceViews";
export const viewsMax = 50;
export const viewNameMax = 60;

/** Query parameters that belong to a view. */
const parameterNames: readonly string[] = [...filterNames, "sort", "hide"];

/** Returns the part of a page's query that a view keeps, in a fixed order. */
export function viewQuery(search: string): string {
  const given = new URLSearchParams(search);
  const kept = parameterNames.flatMap((name) => {
    const value = given.get(name) ?? "";
    return value === "" ? [] : [[name, value]];
  });
  return new URLSearchParams(kept).toString();
}

/** Reads the views of this browser. What is not a view there is left out. */
export function readViews(storage: Pick<Storage, "getItem">): SavedView[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(storageName) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isView).slice(0, viewsMax) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== "object" || value === null) return false;
  const { name, query } = value as Partial<Record<keyof SavedView, unknown>>;
  return typeof name === "string" && isName(name) && typeof query === "string" && query === viewQuery(query);
}

const isName = (name: string) => name.trim() !== "" && name.length <= viewNameMax;

/**
 * Stores a change of the views that the browser has now: another tab may have changed them since they were read. Returns all views, or
 * undefined if `change` refuses or they would be too many. Throws if the browser refuses them.
 */
export function changeViews(
  storage: Pick<Storage, "getItem" | "setItem">,
  change: (now: readonly SavedView[]) => readonly SavedView[] | undefined,
): readonly SavedView[] | undefined {
  const next = change(readViews(storage));
  if (next === undefined || next.length > viewsMax) return undefined;
  storage.setItem(storageName, JSON.stringify(next));
  return next;
}

/** Returns true for the event of another tab that may have changed the views. */
export const isViewsEvent = ({ key }: Pick<StorageEvent, "key">): boolean =>
  key === null || key === storageName;

/** Adds a view by name, or replaces the one with this name. */
export function withView(views: readonly SavedView[], { name, query }: SavedView): SavedView[] {
  const added = { name: name.trim(), query };
  return [...views.filter((view) => view.name !== added.name), added].sort((a, b) =>
    a.name.localeCompare(b.name),
  );
}

/** Renames a view. Returns undefined if another view has the name, if it is empty, or if there is no such view. */
export function renamed(views: readonly SavedView[], from: string, to: string): SavedView[] | undefined {
  const name = to.trim();
  if (!isName(name) || (name !== from && views.some((view) => view.name === name))) return undefined;
  const view = views.find((one) => one.name === from);
  if (view === undefined) return undefined;
  return withView(
    views.filter((one) => one !== view),
    { name, query: view.query },
  );
}

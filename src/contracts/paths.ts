import { AppError } from "../kit/app-error.ts";

/** Returns the defined values of `query` as the end of a path; empty if there are none. */
export function queryString(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

/** Appends the defined values of `query` to the path. */
export const withQuery = (path: string, query: object): string => `${path}${queryString(query)}`;

/**
 * Escapes one segment of a path. Throws AppError `invalid_request` for an empty text, `.` and `..`, also escaped: every reader of an address
 * drops them, so the request would be about the folder above (`DELETE /tenants/t/keys/..` deletes the tenant).
 */
export function segment(text: string): string {
  if (["", ".", ".."].includes(text) || !text.isWellFormed())
    throw new AppError("invalid", "invalid_request", `${JSON.stringify(text)} can't be a name or an id.`);
  return encodeURIComponent(text);
}

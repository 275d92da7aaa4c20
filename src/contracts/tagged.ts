/** A resource as read, and the tag of its version, which a later change sends back in `If-Match`. */
export interface Tagged<T> {
  value: T;
  /** Absent if the service sent none; a change is then not guarded. */
  tag: string | undefined;
}

/** Reads the body of an answer with its ETag. */
export async function taggedJson<T>(response: Response): Promise<Tagged<T>> {
  return { value: (await response.json()) as T, tag: tagOf(response) };
}

export const tagOf = ({ headers }: Response): string | undefined => headers.get("etag") ?? undefined;

/** Headers of a change that is refused with 412 unless the resource still has this tag. */
export const ifMatch = (tag: string | undefined): Record<string, string> =>
  tag === undefined ? {} : { "if-match": tag };

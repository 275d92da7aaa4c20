import { authorTexts } from "../../texts/platform/tenant.ts";

const hashShown = 8;

/** Formats an author for a person. The platform stores `user:` and an id, or `key:` and a hash. */
export function authorName(author: string, personId: string | undefined): string {
  if (author === `user:${personId}`) return authorTexts.you;
  const [, hash] = /^key:(.+)$/.exec(author) ?? [];
  if (hash !== undefined) return authorTexts.key(hash.slice(0, hashShown));
  return author.startsWith("user:") ? authorTexts.person : author;
}

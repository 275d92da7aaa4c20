import { authorTexts } from "../../texts/platform-tenant.ts";

const hashShown = 8;

/** Who did something, as the platform notes it (`user:` and an id, `key:` and a hash), told to a person. */
export function authorName(author: string, personId: string | undefined): string {
  if (author === `user:${personId}`) return authorTexts.you;
  const [, hash] = /^key:(.+)$/.exec(author) ?? [];
  if (hash !== undefined) return authorTexts.key(hash.slice(0, hashShown));
  return author.startsWith("user:") ? authorTexts.person : author;
}

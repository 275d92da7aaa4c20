import { eq } from "drizzle-orm";
import type { Registration, SignedIn } from "../../../contracts/platform/auth.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformDeps } from "../deps.ts";
import { readEmail } from "./email.ts";
import { openSession, pairOf } from "./token-pair.ts";

/** Makes an account and signs it in; 409 `email_taken`, 403 where not everybody may register. */
export async function register(deps: PlatformDeps, input: Registration): Promise<SignedIn> {
  const email = readEmail(input.email);
  const { storage, settings } = deps;
  if (settings.registration === "closed") {
    throw new AppError(
      "forbidden",
      "registration_closed",
      "Nobody can register here; an operator makes accounts.",
    );
  }
  // Hashed before the transaction, which waits for nothing but the database.
  const passwordHash = await deps.passwords.hash(input.password);
  const user = { id: deps.newId(), email, displayName: input.displayName.trim() };
  const opened = await storage.transact(async (tx) => {
    if (settings.registration === "invite") await useInvitation(deps, tx, email);
    const [added] = await tx
      .insert(storage.tables.users)
      .values({ ...user, passwordHash, role: "user", createdAt: deps.clock.now() })
      .onConflictDoNothing()
      .returning({ id: storage.tables.users.id });
    if (added === undefined)
      throw new AppError("conflict", "email_taken", "An account with this e-mail exists.");
    return openSession(deps, tx, user.id);
  });
  return { ...(await pairOf(deps, opened)), user };
}

async function useInvitation({ storage }: PlatformDeps, tx: Query, email: string): Promise<void> {
  const { invitations } = storage.tables;
  const used = await tx
    .delete(invitations)
    .where(eq(invitations.email, email))
    .returning({ email: invitations.email });
  if (used.length > 0) return;
  throw new AppError("forbidden", "not_invited", "Only people who were invited can register here.", {
    details: { hint: "An operator invites with `argosy platform invite <email>`." },
  });
}

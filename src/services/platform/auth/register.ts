import { eq } from "drizzle-orm";
import type { Registration, SignedIn } from "../../../contracts/platform/auth.ts";
import { openSession } from "../../../control-plane/sessions/refresh-tokens.ts";
import type { SessionSource } from "../../../control-plane/sessions/session-source.ts";
import { addressGroup } from "../../../http/front-door/caller-address.ts";
import { AppError } from "../../../kit/app-error.ts";
import { readEmail } from "../../../kit/text/email-address.ts";
import type { Query } from "../../../storage/storage.ts";
import type { StoreDeps } from "../tables.ts";
import type { AuthDeps } from "./deps.ts";
import type { Device } from "./known-device.ts";
import { noteAddress } from "./sign-in-throttle.ts";
import { signedInAs } from "./token-pair.ts";

/** Origin of a registration. */
export interface RegistrationSource {
  address: string;
  device?: Device;
  /** The sender, for the person's list of sessions. */
  source: SessionSource;
  /** True if it was sent from another machine. */
  isBeyond: boolean;
  /** Aborts when the caller disconnects. */
  signal?: AbortSignal;
}

/** Creates an account and signs it in. Throws 409 `email_taken`, or 403 if registration is restricted. */
export async function register(
  deps: AuthDeps,
  input: Registration,
  { address, device, source, isBeyond, signal }: RegistrationSource,
): Promise<SignedIn> {
  const email = readEmail(input.email);
  const { storage, settings, clock } = deps;
  const rule = settings.registration[isBeyond ? "beyond" : "here"];
  if (rule === "closed") {
    throw new AppError("forbidden", "registration_closed", "Registration is closed on this server.");
  }
  // Hashing is expensive, so registrations that would fail anyway are refused first.
  await requireFree(deps, email, rule === "invite");
  // Hashed before the transaction, which waits only for the database.
  const passwordHash = await deps.passwords.hash(input.password, { owner: addressGroup(address), signal });
  const user = { id: deps.newId(), email, displayName: input.displayName.trim() };
  const opened = await storage.transact(async (tx) => {
    if (rule === "invite") await useInvitation(deps, tx, email);
    const [added] = await tx
      .insert(storage.tables.users)
      .values({ ...user, passwordHash, role: "user", createdAt: clock.now() })
      .onConflictDoNothing()
      .returning({ id: storage.tables.users.id });
    if (added === undefined) throw emailTaken();
    await noteAddress(tx, storage.tables, { email, address, device }, clock.now());
    return openSession(deps, tx, user.id, source);
  });
  return signedInAs(deps, opened, user);
}

/** Throws the errors that the registration would lead to later. */
async function requireFree({ storage }: StoreDeps, email: string, isByInvitation: boolean): Promise<void> {
  const { read, tables } = storage;
  const { users, invitations } = tables;
  if (isByInvitation) {
    const waiting = await read
      .select({ email: invitations.email })
      .from(invitations)
      .where(eq(invitations.email, email));
    if (waiting.length === 0) throw notInvited();
  }
  const taken = await read.select({ id: users.id }).from(users).where(eq(users.email, email));
  if (taken.length > 0) throw emailTaken();
}

async function useInvitation({ storage }: StoreDeps, tx: Query, email: string): Promise<void> {
  const { invitations } = storage.tables;
  const used = await tx
    .delete(invitations)
    .where(eq(invitations.email, email))
    .returning({ email: invitations.email });
  if (used.length === 0) throw notInvited();
}

const emailTaken = () =>
  new AppError("conflict", "email_taken", "An account with this e-mail already exists.");

const notInvited = () =>
  new AppError("forbidden", "not_invited", "Registration needs an invitation, and this e-mail has none.", {
    details: { hint: "Ask an operator to run `argosy platform invite <email>`." },
  });

import { eq } from "drizzle-orm";
import type { CloudAccount } from "../../../contracts/cloud/auth.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Person } from "../access/credentials.ts";
import type { StoreDeps } from "../tables.ts";

export async function readAccount(
  { storage: { read, tables } }: StoreDeps,
  { userId }: Person,
): Promise<CloudAccount> {
  const { id, email, name } = tables.users;
  const [user] = await read.select({ id, email, name }).from(tables.users).where(eq(id, userId));
  if (user === undefined) throw new AppError("not_found", "not_found", "There is no such account.");
  return user;
}

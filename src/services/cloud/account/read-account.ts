import { eq } from "drizzle-orm";
import type { CloudUserAccount } from "../../../contracts/cloud/auth.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { CloudPerson } from "../access/credentials.ts";
import type { CloudStoreDeps } from "../tables.ts";

export async function readAccount(
  { storage: { read, tables } }: CloudStoreDeps,
  { userId }: CloudPerson,
): Promise<CloudUserAccount> {
  const { id, email, name } = tables.users;
  const [user] = await read.select({ id, email, name }).from(tables.users).where(eq(id, userId));
  if (user === undefined) throw new AppError("not_found", "not_found", "There is no such account.");
  return user;
}

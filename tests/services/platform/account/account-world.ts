import { asOperator, type TestPlatform } from "../../../support/platform.ts";

export const password = "correct horse";

/** A person who has registered. */
export interface Registered {
  id: string;
  email: string;
  refreshToken: string;
  headers: Record<string, string>;
}

const signedIn = (
  email: string,
  body: { user: { id: string }; accessToken: string; refreshToken: string },
) => ({
  id: body.user.id,
  email,
  refreshToken: body.refreshToken,
  headers: { authorization: `Bearer ${body.accessToken}` },
});

/** Registers people and asks the routes of their accounts. */
export function accounts(platform: TestPlatform) {
  const login = (email: string, typed = password) =>
    platform.call("POST", "/auth/login", { body: { email, password: typed } });
  return {
    login,
    async register(email: string): Promise<Registered> {
      const body = { email, password, displayName: "Ada" };
      return signedIn(email, (await platform.call("POST", "/auth/register", { body })).body);
    },
    async signIn(email: string, typed = password): Promise<Registered> {
      return signedIn(email, (await login(email, typed)).body);
    },
    ask: (method: string, path: string, { headers }: Pick<Registered, "headers">, body?: unknown) =>
      platform.call(method, path, { headers, ...(body === undefined ? {} : { body }) }),
    operate: (method: string, path: string, body?: unknown) =>
      platform.call(method, `/api/v1/admin${path}`, {
        headers: asOperator,
        ...(body === undefined ? {} : { body }),
      }),
    meOf: async ({ headers }: Pick<Registered, "headers">) =>
      (await platform.call("GET", "/api/v1/me", { headers })).status,
    async actions(): Promise<string[]> {
      const { storage } = platform.deps;
      const rows = await storage.read.select().from(storage.tables.audit).orderBy(storage.tables.audit.id);
      return rows.map(({ action }) => action);
    },
  };
}

import { type Static, Type } from "@sinclair/typebox";
import { ShownName } from "../platform/shown-name.ts";

const closed = { additionalProperties: false } as const;

export const DevLogin = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 320, description: "Taken in lower case." }),
    name: ShownName(255),
  },
  closed,
);
export type DevLogin = Static<typeof DevLogin>;

/** An ID token of Google, or the code that its sign-in page returned with the state of `/auth/google/start`. */
export const GoogleSignIn = Type.Object(
  {
    id_token: Type.Optional(Type.String({ minLength: 1, maxLength: 8192 })),
    code: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
    state: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  },
  closed,
);
export type GoogleSignIn = Static<typeof GoogleSignIn>;

/** The code that GitHub's sign-in page returned with the state of `/auth/github/start`. */
export const GithubSignIn = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 2048 }),
    state: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  },
  closed,
);
export type GithubSignIn = Static<typeof GithubSignIn>;

export const SignInStart = Type.Object(
  { redirect_uri: Type.String({ minLength: 1, maxLength: 2048, pattern: "^https?://[^\\s]+$" }) },
  closed,
);
export type SignInStart = Static<typeof SignInStart>;

export const SignInStarted = Type.Object({
  authorization_url: Type.String({ description: "Where the browser goes next." }),
  state: Type.String({
    description: "Good for one sign-in; the page compares it with the one that comes back.",
  }),
  expires_in: Type.Integer({ description: "Seconds." }),
});
export type SignInStarted = Static<typeof SignInStarted>;

export const CloudRefresh = Type.Object(
  { refresh_token: Type.String({ minLength: 1, maxLength: 512 }) },
  closed,
);
export type CloudRefresh = Static<typeof CloudRefresh>;

/** An access token for 24 hours, and a refresh token for 7 days that can be exchanged once. */
export const CloudTokens = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal("bearer"),
  expires_in: Type.Integer({ description: "Seconds." }),
  org_slug: Type.String({ description: "The org that the person joined first." }),
  refresh_token: Type.String(),
});
export type CloudTokens = Static<typeof CloudTokens>;

/** The signed-in person. */
export const CloudUserAccount = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
});
export type CloudUserAccount = Static<typeof CloudUserAccount>;

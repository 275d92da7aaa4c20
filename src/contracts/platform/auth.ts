import { type Static, Type } from "@sinclair/typebox";
import { ShownName } from "./shown-name.ts";

const Email = Type.String({
  minLength: 3,
  maxLength: 320,
  description: "Email address, converted to lower case.",
});
const Password = Type.String({
  minLength: 8,
  maxLength: 1024,
  description: "Password of at least 8 characters.",
});

export const Registration = Type.Object(
  {
    email: Email,
    password: Password,
    displayName: ShownName(255),
  },
  { additionalProperties: false },
);
export type Registration = Static<typeof Registration>;

export const SignIn = Type.Object(
  { email: Email, password: Type.String({ minLength: 1, maxLength: 1024 }) },
  { additionalProperties: false },
);
export type SignIn = Static<typeof SignIn>;

export const Refresh = Type.Object(
  { refreshToken: Type.String({ minLength: 1, maxLength: 512 }) },
  { additionalProperties: false },
);
export type Refresh = Static<typeof Refresh>;

export const User = Type.Object({ id: Type.String(), email: Type.String(), displayName: Type.String() });
export type User = Static<typeof User>;

/** An access token for 15 minutes, and a refresh token for 7 days that can be exchanged once. */
export const TokenPair = Type.Object({ accessToken: Type.String(), refreshToken: Type.String() });
export type TokenPair = Static<typeof TokenPair>;

export const SignedIn = Type.Composite([TokenPair, Type.Object({ user: User })]);
export type SignedIn = Static<typeof SignedIn>;

export const PasswordResetInput = Type.Object({ email: Email }, { additionalProperties: false });
export type PasswordResetInput = Static<typeof PasswordResetInput>;

export const PasswordReset = Type.Object({
  user_id: Type.String(),
  email: Type.String(),
  password: Type.String({ description: "The new password, which is shown only here." }),
});
export type PasswordReset = Static<typeof PasswordReset>;

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

export const SignedIn = Type.Composite([
  TokenPair,
  Type.Object({
    user: User,
    passwordExpired: Type.Optional(
      Type.Literal(true, {
        description:
          "Present if an operator set the password: until it is changed, other requests are 403 `password_expired`.",
      }),
    ),
  }),
]);
export type SignedIn = Static<typeof SignedIn>;

export const PasswordResetInput = Type.Object({ email: Email }, { additionalProperties: false });
export type PasswordResetInput = Static<typeof PasswordResetInput>;

export const PasswordReset = Type.Object({
  user_id: Type.String(),
  email: Type.String(),
  password: Type.String({
    description: "The new password, which is shown only here. The person must change it at the next sign-in.",
  }),
});
export type PasswordReset = Static<typeof PasswordReset>;

/** A link that works once, for 24 hours. Only its hash is stored. */
export const AccountLink = Type.Object({
  user_id: Type.String(),
  email: Type.String({ description: "Where to send the link." }),
  token: Type.String(),
  path: Type.String({ description: "Path of the console's page for the link, with the token after `#`." }),
  expires_at: Type.String({ description: "ISO 8601 UTC." }),
  mailed: Type.Boolean({
    description: "True if the installation sends the link by e-mail; otherwise, an operator passes it on.",
  }),
});
export type AccountLink = Static<typeof AccountLink>;

const LinkToken = Type.String({ minLength: 1, maxLength: 128 });

export const PasswordLinkUse = Type.Object(
  { token: LinkToken, password: Password },
  { additionalProperties: false },
);
export type PasswordLinkUse = Static<typeof PasswordLinkUse>;

export const PasswordChange = Type.Object(
  { current: Type.String({ minLength: 1, maxLength: 1024 }), new: Password },
  { additionalProperties: false },
);
export type PasswordChange = Static<typeof PasswordChange>;

export const EmailChangeInput = Type.Object(
  { email: Email, current: Type.String({ minLength: 1, maxLength: 1024, description: "The password." }) },
  { additionalProperties: false },
);
export type EmailChangeInput = Static<typeof EmailChangeInput>;

export const EmailChangeRequested = Type.Object({
  email: Type.String({ description: "The new address, which takes effect when its link is used." }),
  expires_at: Type.String({ description: "ISO 8601 UTC." }),
  mailed: Type.Boolean({
    description: "True if the installation sends the link by e-mail; otherwise, an operator passes it on.",
  }),
});
export type EmailChangeRequested = Static<typeof EmailChangeRequested>;

export const EmailConfirmation = Type.Object({ token: LinkToken }, { additionalProperties: false });
export type EmailConfirmation = Static<typeof EmailConfirmation>;

/** A change of an e-mail address that its person asked for. */
export const EmailChange = Type.Object({
  user_id: Type.String(),
  email: Type.String(),
  new_email: Type.String(),
  requested_at: Type.String({ description: "ISO 8601 UTC." }),
  expires_at: Type.String({ description: "ISO 8601 UTC." }),
});
export type EmailChange = Static<typeof EmailChange>;

export const EmailChangeList = Type.Object({ changes: Type.Array(EmailChange) });
export type EmailChangeList = Static<typeof EmailChangeList>;

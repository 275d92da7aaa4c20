import { type Static, Type } from "@sinclair/typebox";

/** Identity and permissions of a session. */
export const SignedInAs = Type.Object(
  {
    daemon: Type.Boolean({ description: "May use the daemon: the Studio." }),
    operator: Type.Boolean({ description: "May see the platform's operator side." }),
    person: Type.Optional(
      Type.Object(
        { id: Type.String(), email: Type.String(), display_name: Type.String() },
        { description: "The account on the platform: the tenant side." },
      ),
    ),
    local: Type.Boolean({ description: "Opened by the one-time link of this machine's owner." }),
  },
  { $id: "SignedInAs" },
);
export type SignedInAs = Static<typeof SignedInAs>;

/** Ways to begin a session here. */
export const SignInWays = Type.Object(
  {
    open: Type.Boolean({ description: "Without anything: the service asks no credential of this caller." }),
    person: Type.Boolean({ description: "By e-mail and password." }),
    registration: Type.Boolean({ description: "By a new account." }),
    token: Type.Boolean({ description: "By the API token or the operator token." }),
  },
  { $id: "SignInWays" },
);
export type SignInWays = Static<typeof SignInWays>;

/** State that a page needs before it shows anything: `GET /console/session`. */
export const ConsoleState = Type.Object(
  {
    version: Type.String(),
    home: Type.String(),
    services: Type.Array(Type.String(), { description: "Those of this process." }),
    ways: SignInWays,
    signed_in: Type.Union([SignedInAs, Type.Null()]),
  },
  { $id: "ConsoleState" },
);
export type ConsoleState = Static<typeof ConsoleState>;

/** `POST /console/session`. An empty body asks for a session without a credential. */
export const SessionRequest = Type.Union(
  [
    Type.Object(
      { link: Type.String({ maxLength: 128, description: "Of the one-time link: what follows `#open=`." }) },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        token: Type.String({
          maxLength: 4096,
          description: "`PLATFORM_API_TOKEN` or `PLATFORM_OPERATOR_TOKEN`.",
        }),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        email: Type.String({ maxLength: 320 }),
        password: Type.String({ maxLength: 4096 }),
        display_name: Type.Optional(
          Type.String({ maxLength: 255, description: "Makes a new account of this name." }),
        ),
      },
      { additionalProperties: false },
    ),
    Type.Object({}, { additionalProperties: false }),
  ],
  { $id: "SessionRequest" },
);
export type SessionRequest = Static<typeof SessionRequest>;

/** Body of the 201 answer, which also sets the cookie. */
export const SessionBegun = Type.Object(
  {
    ...ConsoleState.properties,
    key: Type.String({ description: "Goes into the header `X-Argosy-Console` of every call." }),
  },
  { $id: "SessionBegun" },
);
export type SessionBegun = Static<typeof SessionBegun>;

/** `POST /console/links`, through the control socket only. */
export const ConsoleLink = Type.Object(
  {
    url: Type.String({ description: "Opens the console once." }),
    expires_at: Type.String({ description: "ISO 8601 UTC." }),
  },
  { $id: "ConsoleLink" },
);
export type ConsoleLink = Static<typeof ConsoleLink>;

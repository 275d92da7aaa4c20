import { type Static, Type } from "@sinclair/typebox";
import { MemberRole } from "../platform/members.ts";

/** Identity and permissions of a session. */
export const SignedInAs = Type.Object(
  {
    daemon: Type.Boolean({ description: "True if the session may use the daemon (Studio)." }),
    operator: Type.Boolean({
      description: "True if the session may use the operator pages of the platform.",
    }),
    gateway: Type.Optional(
      Type.Literal(true, { description: "Present if the session may use the gateway as its operator." }),
    ),
    desk: Type.Optional(
      Type.Array(Type.Object({ id: Type.String(), name: Type.String(), role: MemberRole }), {
        description:
          "Tenants whose conversations the person may answer in the gateway: each call names one in `X-Tenant-ID`.",
      }),
    ),
    translator: Type.Optional(
      Type.Literal(true, { description: "Present if the session may use the translator." }),
    ),
    cloud: Type.Optional(
      Type.Literal(true, { description: "Present if the session has an account of the cloud." }),
    ),
    person: Type.Optional(
      Type.Object(
        {
          id: Type.String(),
          email: Type.String(),
          display_name: Type.String(),
          password_expired: Type.Optional(
            Type.Literal(true, {
              description: "Present if an operator set the password, which must be changed first.",
            }),
          ),
        },
        { description: "Platform account of the session, for the tenant pages." },
      ),
    ),
    local: Type.Boolean({
      description: "True if the session was opened with the one-time link of this machine's owner.",
    }),
  },
  { $id: "SignedInAs" },
);
export type SignedInAs = Static<typeof SignedInAs>;

/** Ways to sign in to the cloud. */
export const CloudSignIn = Type.Object(
  {
    dev: Type.Boolean({ description: "Development login, under any e-mail address." }),
    google: Type.Boolean(),
    github: Type.Boolean(),
  },
  { $id: "CloudSignIn" },
);
export type CloudSignIn = Static<typeof CloudSignIn>;

/** Identity providers of the cloud. */
export const CloudVendor = Type.Union([Type.Literal("google"), Type.Literal("github")]);
export type CloudVendor = Static<typeof CloudVendor>;

/** Ways to begin a session here. */
export const SignInWays = Type.Object(
  {
    open: Type.Boolean({
      description: "Sign-in without a credential: the service requires none from this caller.",
    }),
    person: Type.Boolean({ description: "Sign-in with e-mail address and password." }),
    registration: Type.Boolean({ description: "Registration of a new account." }),
    token: Type.Boolean({
      description: "Sign-in with the API token, the operator token or the gateway's admin token.",
    }),
    cloud: Type.Optional(CloudSignIn),
  },
  { $id: "SignInWays" },
);
export type SignInWays = Static<typeof SignInWays>;

/** State that a page needs before it shows anything: `GET /console/session`. */
export const ConsoleState = Type.Object(
  {
    version: Type.String(),
    home: Type.String(),
    services: Type.Array(Type.String(), { description: "Services that run in this process." }),
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
      {
        link: Type.String({
          maxLength: 128,
          description: "Code from the one-time link: the part after `#open=`.",
        }),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        token: Type.String({
          maxLength: 4096,
          description: "Value of `PLATFORM_API_TOKEN`, `PLATFORM_OPERATOR_TOKEN` or `GATEWAY_ADMIN_TOKEN`.",
        }),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        email: Type.String({ maxLength: 320 }),
        password: Type.String({ maxLength: 4096 }),
        display_name: Type.Optional(
          Type.String({
            maxLength: 255,
            description: "Display name of a new account. If present, the request creates the account.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        password_link: Type.String({
          maxLength: 128,
          description: "Token of an operator's link: the part after `#password=`.",
        }),
        password: Type.String({ maxLength: 4096, description: "The new password." }),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        cloud: Type.Union([
          Type.Object(
            { email: Type.String({ maxLength: 320 }), name: Type.String({ maxLength: 255 }) },
            { additionalProperties: false, description: "Development login of the cloud." },
          ),
          Type.Object(
            {
              vendor: CloudVendor,
              code: Type.String({ maxLength: 2048, description: "Code from the vendor's page." }),
              state: Type.String({ maxLength: 128, description: "State from the vendor's page." }),
            },
            { additionalProperties: false },
          ),
        ]),
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
    key: Type.String({ description: "Key to send in the `X-Argosy-Console` header of every request." }),
  },
  { $id: "SessionBegun" },
);
export type SessionBegun = Static<typeof SessionBegun>;

/** `POST /console/cloud-sign-in`: begins a sign-in on the page of a vendor, which returns to `/cloud/sign-in` of this console. */
export const VendorRequest = Type.Object(
  { vendor: CloudVendor },
  { $id: "VendorRequest", additionalProperties: false },
);
export type VendorRequest = Static<typeof VendorRequest>;

/** The vendor's page for one sign-in. */
export const VendorPage = Type.Object(
  {
    url: Type.String({ description: "Address of the vendor's page." }),
    state: Type.String({ description: "The vendor returns it. The page compares both." }),
  },
  { $id: "VendorPage" },
);
export type VendorPage = Static<typeof VendorPage>;

/** `POST /console/links`, through the control socket only. */
export const ConsoleLink = Type.Object(
  {
    url: Type.String({ description: "URL that opens the console, valid once." }),
    expires_at: Type.String({ description: "Expiry time, ISO 8601 UTC." }),
  },
  { $id: "ConsoleLink" },
);
export type ConsoleLink = Static<typeof ConsoleLink>;

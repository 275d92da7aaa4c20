import { type Static, Type } from "@sinclair/typebox";

export const LoginBegin = Type.Object(
  {
    redirect_uri: Type.String({
      minLength: 1,
      maxLength: 2000,
      description:
        "URL to which the browser is redirected after the login. Must be an address of this machine: `http://127.0.0.1:<port>/…`.",
    }),
  },
  { additionalProperties: false },
);
export type LoginBegin = Static<typeof LoginBegin>;

export const LoginBegun = Type.Object({
  authorization_url: Type.String({ description: "URL that the user must open to log in." }),
  state: Type.String({ description: "OAuth state, returned with the redirect; valid for 10 minutes." }),
});
export type LoginBegun = Static<typeof LoginBegun>;

export const LoginFinish = Type.Object(
  {
    state: Type.String({ minLength: 1, maxLength: 500 }),
    code: Type.String({ minLength: 1, maxLength: 8000 }),
    iss: Type.Optional(Type.String({ maxLength: 2000 })),
  },
  { additionalProperties: false },
);
export type LoginFinish = Static<typeof LoginFinish>;

export const LoginDone = Type.Object({
  status: Type.Union([Type.Literal("logged_in"), Type.Literal("logged_out")]),
  server: Type.Union(
    [Type.Literal("idle"), Type.Literal("starting"), Type.Literal("ready"), Type.Literal("down")],
    { description: "Status of the server after the operation." },
  ),
  message: Type.Optional(Type.String({ description: "Reason why the server is down." })),
});
export type LoginDone = Static<typeof LoginDone>;

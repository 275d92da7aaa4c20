import { type Static, Type } from "@sinclair/typebox";

export const LoginBegin = Type.Object(
  {
    redirect_uri: Type.String({
      minLength: 1,
      maxLength: 2000,
      description:
        "Where the person's browser is sent afterwards: an address of this machine, `http://127.0.0.1:<port>/…`.",
    }),
  },
  { additionalProperties: false },
);
export type LoginBegin = Static<typeof LoginBegin>;

export const LoginBegun = Type.Object({
  authorization_url: Type.String({ description: "What the person has to open." }),
  state: Type.String({ description: "Comes back with the answer; good for ten minutes." }),
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
    { description: "How the server is afterwards." },
  ),
  message: Type.Optional(Type.String({ description: "Why it is down." })),
});
export type LoginDone = Static<typeof LoginDone>;

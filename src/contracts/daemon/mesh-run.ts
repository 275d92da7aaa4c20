import { type Static, Type } from "@sinclair/typebox";
import { NodeId } from "./mesh.ts";
import { RunRemember, SessionId } from "./runs/run.ts";
import { RunOverride } from "./runs/run-override.ts";
import { DeclaredSource } from "./runs/run-source.ts";
import { ToolStubs } from "./runs/tool-stubs.ts";
import { RunTurns } from "./runs/turns.ts";

const Loose = Type.Record(Type.String(), Type.Unknown());

/** A run that one node hands to another, as the first one has checked it. */
export const MeshRun = Type.Object({
  from: NodeId,
  to: NodeId,
  agent: Type.String({ minLength: 1, maxLength: 63 }),
  sender: Type.Union([
    Type.Literal("file"),
    Type.Literal("owner"),
    Type.Literal("stranger"),
    Type.Literal("tenant"),
  ]),
  run_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "Id under which the node stores the run's steps in the shared database.",
    }),
  ),
  outlives: Type.Optional(Type.Boolean({ description: "True if the run continues after its node's death." })),
  request_id: Type.Optional(Type.String({ maxLength: 255 })),
  session_id: SessionId,
  query: Type.String(),
  context: Loose,
  stream: Type.Boolean({ description: "True if the caller reads tokens as they arrive." }),
  record: Type.Optional(Type.Boolean()),
  trace_content: Type.Optional(Type.Boolean()),
  override: Type.Optional(RunOverride),
  tool_stubs: Type.Optional(ToolStubs),
  remember: Type.Optional(RunRemember),
  source: Type.Optional(DeclaredSource),
  trigger: Type.Optional(
    Type.Object({
      name: Type.String({ maxLength: 63 }),
      type: Type.String({ maxLength: 63 }),
      fire: Type.String({ maxLength: 64 }),
    }),
  ),
  turns: Type.Optional(RunTurns),
  images: Type.Optional(Type.Array(Type.Unknown())),
  history: Type.Optional(Type.Array(Type.Unknown())),
  parameters: Type.Optional(Loose),
  limits: Type.Optional(
    Type.Object({
      totalTokens: Type.Optional(Type.Integer({ minimum: 0 })),
      callTokens: Type.Optional(Type.Integer({ minimum: 0 })),
      iterations: Type.Optional(Type.Integer({ minimum: 0 })),
      timeoutMs: Type.Optional(Type.Number({ minimum: 0 })),
    }),
  ),
  answer_schema: Type.Optional(
    Type.Object(
      { name: Type.String({ maxLength: 255 }), schema: Loose },
      { description: "Shape that the caller of this run requires of its answer." },
    ),
  ),
});
export type MeshRun = Static<typeof MeshRun>;
